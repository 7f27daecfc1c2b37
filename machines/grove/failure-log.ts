// What failed and has not been put right: the log behind `status.lastErrors`. An entry is made
// when an effect fails, or another actor tells that one did, and struck when a write on the same
// object succeeds, the object shows up or is as it should be, or a new spec comes (spec controllers
// 0.4, 10.2 gap 13). Bounded; the oldest entries stay.
import type { ObjectRef } from '../contract/address.ts';
import { isRetryable, type ErrorCode } from '../contract/errors.ts';
import type { WarningReason } from '../contract/event-reasons.ts';
import type { CommonEvent } from '../contract/events.ts';
import type { Kind, Operation } from '../contract/kind.ts';
import { backendOf } from '../contract/kinds.ts';
import { maxTextLength } from '../contract/limits.ts';
import type { JsonObject } from '../kubernetes/objects.ts';
import { rfc3339, type EpochMs } from '../kubernetes/time.ts';
import { maxErrors } from './objects/limits.ts';
import type { Problem } from './objects/set-problem.ts';
import { isObject, list } from '../kubernetes/json.ts';
import { warning, type Target } from './objects/intents.ts';
import { isOwnNews, type Meta } from '../kubernetes/meta.ts';
import { idle, type StepResult } from '../statechart/step.ts';

export type FailedEffect = Extract<CommonEvent, { type: 'effect.failed' }>;

type Failed = Pick<FailedEffect, 'op' | 'ref' | 'code' | 'message' | 'now'>;

export interface ErrorEntry {
  readonly op: Operation;
  readonly ref: ObjectRef;
  readonly code: ErrorCode;
  readonly message: string;
  readonly at: EpochMs;
  /** An event was recorded for it. */
  readonly isAnnounced?: boolean;
}

export type FailureLog = readonly ErrorEntry[];

/** Failures that are part of normal work and are tried again at once: nobody needs to read them. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'CONFLICT',
  'GONE',
  'THROTTLED',
  'UNREACHABLE',
  'UNAUTHORIZED',
  'NOT_OWNER',
  'STOPPING',
]);

/**
 * True where people should see this failure. A status that cannot be written cannot say so, and
 * what is gone already needs no patch and no deletion.
 */
export const isWorthTelling = ({ op, code }: Pick<FailedEffect, 'op' | 'code'>): boolean =>
  op !== 'status' && !passing.has(code) && (code !== 'NOT_FOUND' || op === 'create');

const isSameRef = (a: ObjectRef, b: ObjectRef): boolean =>
  a.kind === b.kind && a.name === b.name && a.namespace === b.namespace;

const isRecorded = (book: FailureLog, failed: Failed): boolean =>
  book.some(
    (entry) =>
      entry.op === failed.op &&
      entry.code === failed.code &&
      entry.message === cut(failed.message) &&
      isSameRef(entry.ref, failed.ref),
  );

/** The book with this failure; the same book where it says so already or is full. */
export function recorded(book: FailureLog, failed: Failed): FailureLog {
  if (!isWorthTelling(failed) || isRecorded(book, failed)) return book;
  const { op, ref, code, message, now } = failed;
  const entry: ErrorEntry = { op, ref, code, message: cut(message), at: now };
  const others = book.filter((old) => old.op !== op || !isSameRef(old.ref, ref));
  return others.length >= maxErrors ? others : [...others, entry];
}

/** The book without the entries on this object; the same book where there are none. */
export function resolved(book: FailureLog, ref: ObjectRef, op?: Operation): FailureLog {
  const isResolved = (entry: ErrorEntry): boolean =>
    isSameRef(entry.ref, ref) && (op === undefined || entry.op === op);
  return book.some(isResolved) ? book.filter((entry) => !isResolved(entry)) : book;
}

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

/** One sentence on an entry, for `why` and Events: the object, the reason, what would help. */
export function sayError({ ref, op, code, message }: ErrorEntry): string {
  const how = isRetryable(code) ? 'failed' : 'refused';
  const isAbsentKind = code === 'NOT_FOUND' && backendOf(ref.kind) !== undefined;
  const help = isAbsentKind ? 'is the CRD of this scheduler installed?' : whatHelps[code];
  const what = `${ref.kind} ${ref.name}: ${op} ${how} (${code}): ${message}`;
  return help === undefined ? what : `${what}; ${help}`;
}

const whatHelps: Partial<Record<ErrorCode, string>> = {
  ALREADY_EXISTS: 'the name is held by an object that is not ours: delete or rename it',
  NOT_FOUND: 'is the namespace there, and not being deleted?',
  SERVER_ERROR: 'the API server or a webhook failed: it is tried again',
  FORBIDDEN: 'check RBAC, quota and webhooks: it is tried again now and then',
  INVALID: 'correct the spec',
  TOO_LARGE: 'make the spec smaller',
};

const cut = (text: string): string =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength)}...` : text;

interface WithErrors {
  readonly errors: FailureLog;
}

/** The step of every behaviour: one Warning per kind of failure that was not announced yet, and the
 *  book that remembers so. */
export function announceErrorsBy(eventReason: (entry: ErrorEntry) => WarningReason) {
  return function announceErrors({ errors }: WithErrors, own: Target): StepResult<WithErrors> {
    const fresh = errors.filter((entry) => entry.isAnnounced !== true);
    if (fresh.length === 0) return idle;
    const groups = Map.groupBy(fresh, eventReason);
    const intents = [...groups].map(([reason, [first, ...others]]) => {
      const more = others.length > 0 ? ` (and ${others.length} more)` : '';
      return warning(own, reason, first === undefined ? '' : `${sayError(first)}${more}`);
    });
    return {
      intents,
      changes: { errors: errors.map((entry) => ({ ...entry, isAnnounced: true })) },
    };
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
