// What Grove's objects say of failed writes: `status.lastErrors`, in Grove's text form (spec
// controllers 0.4, 10.2 gap 13), from the log that every behaviour keeps.
import type { WarningReason } from '../contract/event-reasons.ts';
import { announceErrorsOf, cut } from '../contract/failure-log.ts';
import type { ErrorEntry, FailureLog } from '../contract/failure-log.ts';
import type { Kind, Operation } from '../contract/kind.ts';
import type { JsonObject } from '../kubernetes/objects.ts';
import { rfc3339, type EpochMs } from '../kubernetes/time.ts';
import type { Problem } from './objects/set-problem.ts';
import { isObject, list } from '../kubernetes/json.ts';
import type { Target } from './objects/intents.ts';
import { isOwnNews, type Meta } from '../kubernetes/meta.ts';
import type { StepResult } from '../statechart/step.ts';

export * from '../contract/failure-log.ts';

/** `status.lastErrors`: Grove's text form (spec controllers 0.4). */
export function lastErrors(
  book: FailureLog,
  groveCode: (op: Operation, kind: Kind) => string,
): JsonObject[] {
  return book.map((entry) => {
    const code = groveCode(entry.op, entry.ref.kind);
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

/** The whole of it: what keeps the spec of an object from being acted upon, then what failed. */
export function allErrors(
  { status }: { readonly status: JsonObject },
  problems: readonly Problem[],
  book: FailureLog,
  groveCode: (op: Operation, kind: Kind) => string,
  now: EpochMs,
): JsonObject[] {
  const before = list(status['lastErrors']).filter(isObject);
  const ofSpec = problems.map((problem) => problemEntry(problem, before, now));
  return [...ofSpec, ...lastErrors(book, groveCode)];
}

interface WithErrors {
  readonly errors: FailureLog;
}

/** The step of every behaviour: one Warning per kind of failure that was not announced yet, and the
 *  book that remembers so. */
export function announceErrorsBy(eventReason: (entry: ErrorEntry) => WarningReason) {
  return function announceErrors({ errors }: WithErrors, own: Target): StepResult<WithErrors> {
    const { kind, namespace, name, uid } = own;
    return announceErrorsOf(errors, { kind, namespace, name, uid }, eventReason);
  };
}

/** What an actor remembers of its own object besides the object. */
export interface Living extends WithErrors {
  readonly isGone: boolean;
}

/** The context with this book; the same one where it is the same. */
export const withErrors = <C extends WithErrors>(context: C, errors: FailureLog): C =>
  errors === context.errors ? context : { ...context, errors };

/**
 * What the sight of an actor's own object changes; undefined where it is no news. One that is back
 * is news, whatever its version. A new spec is a new chance: what was refused for good may be
 * accepted now.
 */
export function ownSeen(
  { isGone, errors }: Living,
  old: Meta | undefined,
  now: Meta,
): Living | undefined {
  if (!isGone && !isOwnNews(old, now)) return undefined;
  return { isGone: false, errors: old?.generation === now.generation ? errors : [] };
}
