// What failed and has not been put right: what `why` and Events tell of failed writes. An entry is
// made when an effect fails, or another actor tells that one did, and struck when a write on the
// same object succeeds, the object shows up or is as it should be, or a new spec comes. Bounded;
// the oldest entries stay. Used by the behaviours of all modules.
import { isOwnNews } from '../kubernetes/meta.ts';
import type { Meta } from '../kubernetes/meta.ts';
import type { EpochMs } from '../kubernetes/time.ts';
import { isSameRef } from './address.ts';
import type { ObjectRef } from './address.ts';
import { isRetryable } from './errors.ts';
import type { ErrorCode } from './errors.ts';
import type { WarningReason } from './event-reasons.ts';
import type { CommonEvent } from './events.ts';
import type { Intent } from './intents.ts';
import type { Operation } from './kind.ts';
import { apiKind, backendOf } from './kinds.ts';
import { maxErrors, maxTextLength } from './limits.ts';
import { warning } from './object-intents.ts';
import type { Target } from './object-intents.ts';

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

/** True where this failure is in the book with the same words. */
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
  return others.length >= maxErrors ? book : [...others, entry];
}

/** The book without the entries on this object; the same book where there are none. */
export function resolved(book: FailureLog, ref: ObjectRef, op?: Operation): FailureLog {
  const isResolved = (entry: ErrorEntry): boolean =>
    isSameRef(entry.ref, ref) && (op === undefined || entry.op === op);
  return book.some(isResolved) ? book.filter((entry) => !isResolved(entry)) : book;
}

/** For `why`: what failed alike is one sentence. */
export const sayErrors = (book: FailureLog): readonly string[] =>
  [
    ...Map.groupBy(book, ({ op, ref, code, message }) =>
      JSON.stringify([op, ref.kind, code, message]),
    ).values(),
  ].flatMap(([first, ...others]) => (first === undefined ? [] : [say(first, others.length)]));

/** One sentence on an entry, for Events: the object, the reason, what would help. */
export const sayError = (entry: ErrorEntry): string => say(entry, 0);

/** `more`: of how many others it holds as well. */
function say({ ref, op, code, message }: ErrorEntry, more: number): string {
  const how = isRetryable(code) ? 'failed' : 'refused';
  const isAbsentKind = code === 'NOT_FOUND' && backendOf(ref.kind) !== undefined;
  const help = isAbsentKind ? 'is the CRD of this scheduler installed?' : whatHelps[code];
  const others = more > 0 ? ` (and ${more} more)` : '';
  const what = `${apiKind(ref.kind)} ${ref.name}${others}: ${op} ${how} (${code}): ${message}`;
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

export const cut = (text: string): string =>
  text.length > maxTextLength ? `${text.slice(0, maxTextLength)}...` : text;

/** One Warning per kind of failure that was not announced yet, and the book that remembers so. */
export function announceErrorsOf(
  book: FailureLog,
  target: Target,
  eventReason: (entry: ErrorEntry) => WarningReason,
): { readonly intents: readonly Intent[]; readonly changes: { readonly errors?: FailureLog } } {
  const fresh = book.filter((entry) => entry.isAnnounced !== true);
  if (fresh.length === 0) return { intents: [], changes: {} };
  const groups = Map.groupBy(fresh, eventReason);
  const intents = [...groups].map(([reason, entries]): Intent => {
    const [first] = entries;
    const more = entries.length > 1 ? ` (and ${entries.length - 1} more)` : '';
    const note = first === undefined ? '' : `${sayError(first)}${more}`;
    return warning(target, reason, note);
  });
  return { intents, changes: { errors: book.map((entry) => ({ ...entry, isAnnounced: true })) } };
}

interface WithErrors {
  readonly errors: FailureLog;
}

/** The same as a step of a behaviour. */
export function announceErrorsBy(eventReason: (entry: ErrorEntry) => WarningReason) {
  return function announceErrors({ errors }: WithErrors, own: Target) {
    return announceErrorsOf(errors, own, eventReason);
  };
}

/** The context with this book; the same one where it is the same. */
export const withErrors = <C extends WithErrors>(context: C, errors: FailureLog): C =>
  errors === context.errors ? context : { ...context, errors };

/** What an actor remembers of its own object besides the object. */
export interface Living extends WithErrors {
  readonly isGone: boolean;
}

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
