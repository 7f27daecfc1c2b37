// What Grove's objects say of failed writes: `status.lastErrors`, in Grove's text form (spec
// controllers 0.4, 10.2 gap 13), from the log that every behaviour keeps.
import type { ObjectRef } from '../contract/address.ts';
import type { ErrorCode } from '../contract/errors.ts';
import { cut } from '../contract/failure-log.ts';
import type { FailureLog } from '../contract/failure-log.ts';
import type { Operation } from '../contract/kind.ts';
import type { JsonObject } from '../kubernetes/objects.ts';
import { rfc3339 } from '../kubernetes/time.ts';
import type { EpochMs } from '../kubernetes/time.ts';
import type { Problem } from './objects/set-problem.ts';

export * from '../contract/failure-log.ts';

/** `status.lastErrors`: Grove's text form (spec controllers 0.4). */
export function lastErrors(
  book: FailureLog,
  groveCode: (op: Operation, kind: ObjectRef['kind'], code: ErrorCode) => string,
): JsonObject[] {
  return book.map((entry) => {
    const code = groveCode(entry.op, entry.ref.kind, entry.code);
    const operation = entry.op === 'delete' ? 'Delete' : 'Sync';
    const what = `could not ${entry.op} ${entry.ref.kind} ${entry.ref.namespace}/${entry.ref.name}`;
    return {
      code,
      description: `[Operation: ${operation}, Code: ${code}] message: ${what}, cause: ${entry.message}`,
      observedAt: rfc3339(entry.at),
    };
  });
}

/** The same for a problem of the spec; keeps the time of an entry that says the same. */
export function problemEntry(
  problem: Problem,
  before: readonly JsonObject[],
  now: EpochMs,
): JsonObject {
  const description = cut(`[Operation: Sync, Code: ${problem.code}] message: ${problem.message}`);
  const old = before.find((entry) => entry['description'] === description);
  return old ?? { code: problem.code, description, observedAt: rfc3339(now) };
}
