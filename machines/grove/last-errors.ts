// What Grove's objects say of failed writes: `status.lastErrors`, in Grove's text form (spec
// controllers 0.4, 10.2 gap 13), from the log that every behaviour keeps.
import { cut, sayError } from '../contract/failure-log.ts';
import type { ErrorEntry, FailureLog } from '../contract/failure-log.ts';
import type { Kind, Operation } from '../contract/kind.ts';
import { isObject, list } from '../kubernetes/json.ts';
import type { JsonObject } from '../kubernetes/objects.ts';
import { rfc3339, type EpochMs } from '../kubernetes/time.ts';
import type { Problem } from './objects/set-problem.ts';

/** Grove's code of a failed write (spec api 2.4). */
type CodeOf = (op: Operation, kind: Kind, entry: ErrorEntry) => string;

/** `status.lastErrors`: Grove's text form (spec controllers 0.4). */
export function lastErrors(book: FailureLog, groveCode: CodeOf): JsonObject[] {
  return book.map((entry) => {
    const code = groveCode(entry.op, entry.ref.kind, entry);
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
function problemEntry(problem: Problem, before: readonly JsonObject[], now: EpochMs): JsonObject {
  const description = cut(`[Operation: Sync, Code: ${problem.code}] message: ${problem.message}`);
  const old = before.find((entry) => entry['description'] === description);
  return old ?? { code: problem.code, description, observedAt: rfc3339(now) };
}

/** The first of it in one sentence; undefined: there is none. */
export function sayFirst(problems: readonly Problem[], book: FailureLog): string | undefined {
  const [first] = [...problems.map(({ message }) => message), ...book.map(sayError)];
  return first === undefined ? undefined : cut(first);
}

/** The whole of it: what keeps the spec of an object from being acted upon, then what failed. */
export function allErrors(
  { status }: { readonly status: JsonObject },
  problems: readonly Problem[],
  book: FailureLog,
  groveCode: CodeOf,
  now: EpochMs,
): JsonObject[] {
  const before = list(status['lastErrors']).filter(isObject);
  const ofSpec = problems.map((problem) => problemEntry(problem, before, now));
  return [...ofSpec, ...lastErrors(book, groveCode)];
}
