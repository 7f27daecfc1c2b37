// What an outcome of a write means: one pure table from (operation, code) to what is observed and
// what happens next. The runner (runner.ts) carries it out.
import type { ObjectRef } from '#machines/contract/address.ts';
import { errorTable, type ErrorCode } from '#machines/contract/errors.ts';
import { apiGroup, isWatched, kindRow } from '#machines/kinds.ts';
import { controllerOf, type KubeObject } from '#machines/kubernetes/objects.ts';
import type { Observation, WriteOutcome } from '../ports.ts';
import type { WriteIntent } from './work.ts';

/**
 * - `now`: at once, the newest object has been observed (a second failure in a row backs off)
 * - `backoff`: after a pause that doubles; not before `afterMs` where the server asked for that
 * - `refused`: after a long pause, or with a new generation of the actor's own object
 * - `never`: with a new generation only
 */
export type Retry = 'now' | 'backoff' | 'refused' | 'never';

export type Verdict =
  | {
      readonly type: 'done';
      readonly observations: readonly Observation[];
    }
  | {
      readonly type: 'failed';
      readonly code: ErrorCode;
      readonly message: string;
      readonly retry: Retry;
      readonly afterMs: number;
      readonly observations: readonly Observation[];
    }
  /** The live object has to be looked at first; then `judgeRead` decides. */
  | { readonly type: 'read' };

type Failure = Extract<WriteOutcome, { ok: false }>;

export function judge(intent: WriteIntent, outcome: WriteOutcome): Verdict {
  if (outcome.ok) return done(observationsOf(intent, outcome));
  const { code } = outcome;
  if (code === 'CONFLICT') return { type: 'read' };
  if (code === 'ALREADY_EXISTS' && intent.type === 'createObject') return { type: 'read' };
  if (code === 'NOT_FOUND' && intent.type !== 'createObject') return vanished(intent, outcome);
  return failed(outcome, retryFor(code));
}

/** The same instead of `read`, where the object may not be read. */
export function judgeUnread(intent: WriteIntent, first: Failure): Verdict {
  // A deletion names the UID alone: what has another one is not what was to go.
  return intent.type === 'deleteObject' && intent.resourceVersion === undefined
    ? vanished(intent, first)
    : failed(first, 'backoff');
}

/** After a CONFLICT or ALREADY_EXISTS and a read of the object. */
export function judgeRead(intent: WriteIntent, first: Failure, read: WriteOutcome): Verdict {
  if (!read.ok) {
    if (read.code !== 'NOT_FOUND') return failed(unseen(intent, first, read), 'backoff');
    return intent.type === 'createObject' ? failed(first, 'now') : vanished(intent, first, read);
  }
  const { object } = read;
  if (object === undefined) return failed(first, 'backoff');
  const observations: Observation[] = [{ type: 'seen', kind: intent.ref.kind, object }];
  if (intent.type === 'createObject') {
    if (!isWatched(intent.ref.kind) && isGoing(intent.body, object)) {
      return failed({ ...first, code: 'CONFLICT' }, 'backoff');
    }
    if (first.code === 'ALREADY_EXISTS' && isOurs(intent.body, object)) {
      return done(observations);
    }
    return failed(first, 'backoff', observations);
  }
  const isOther = object.metadata.uid !== intent.uid;
  if (isOther) observations.unshift(goneOf(intent.ref, intent.uid));
  if (isOther && intent.type === 'deleteObject') return done(observations);
  return failed(first, 'now', observations);
}

/**
 * ALREADY_EXISTS says to the actor that the name is somebody else's, so it takes another one. It
 * may be the object of an earlier attempt: as long as nobody looked, that is not said.
 */
const unseen = (intent: WriteIntent, first: Failure, read: Failure): Failure =>
  intent.type === 'createObject' ? read : first;

/** The same controller owner by UID: a repeated create is the same create. */
function isOurs(wanted: KubeObject, live: KubeObject): boolean {
  const owner = controllerOf(wanted)?.uid;
  return owner !== undefined && owner === controllerOf(live)?.uid;
}

/** It terminates, or an earlier owner of the same name left it to the garbage collector. Of what is
 *  watched the actor sees that itself. */
function isGoing(wanted: KubeObject, live: KubeObject): boolean {
  if (live.metadata.deletionTimestamp !== undefined) return true;
  const owner = controllerOf(wanted);
  const other = controllerOf(live);
  const isNamesake = other?.kind === owner?.kind && other?.name === owner?.name;
  return isNamesake && other?.uid !== owner?.uid;
}

/** `reported`: the answer that says so. Where it names the object the server has looked for it, and
 *  a late event must not bring it back: a pod that is back would be one too many. */
function vanished(
  intent: Exclude<WriteIntent, { type: 'createObject' }>,
  why: Failure,
  reported: Failure = why,
): Verdict {
  // A kind without the subresource answers so too, of an object that is there.
  const isOfStatus = intent.type === 'writeStatus' && reported === why;
  const isSure = !isOfStatus && names(reported, intent.ref);
  const gone = goneOf(intent.ref, intent.uid);
  const observations = [isSure ? gone : { ...gone, isSure }];
  if (intent.type === 'deleteObject') return done(observations);
  return failed({ ...why, code: 'NOT_FOUND' }, 'now', observations);
}

function names({ missing }: Failure, { kind, name }: ObjectRef): boolean {
  const { plural } = kindRow(kind);
  return missing?.name === name && missing.plural === plural && missing.group === apiGroup(kind);
}

function observationsOf(
  intent: WriteIntent,
  outcome: Extract<WriteOutcome, { ok: true }>,
): Observation[] {
  if (outcome.object !== undefined && outcome.gone !== true) {
    return [{ type: 'seen', kind: intent.ref.kind, object: outcome.object }];
  }
  if (intent.type === 'createObject') return [];
  return outcome.gone === true ? [goneOf(intent.ref, intent.uid)] : [];
}

const goneOf = (ref: ObjectRef, uid: string): Observation => ({ type: 'gone', ref, uid });

function retryFor(code: ErrorCode): Retry {
  if (code === 'FORBIDDEN' || code === 'INVALID') return 'refused';
  return errorTable[code].class === 'retry' ? 'backoff' : 'never';
}

export const failed = (
  { code, message, retryAfterMs }: Failure,
  retry: Retry,
  observations: readonly Observation[] = [],
): Extract<Verdict, { type: 'failed' }> => ({
  type: 'failed',
  code,
  message,
  retry,
  afterMs: retryAfterMs ?? 0,
  observations,
});

const done = (observations: readonly Observation[]): Extract<Verdict, { type: 'done' }> => ({
  type: 'done',
  observations,
});

/** UID of what was created, where the kind is not watched: nobody would be told of it otherwise. */
export function createdUid(
  { type, ref }: WriteIntent,
  { observations }: Extract<Verdict, { type: 'done' }>,
): string | undefined {
  const [made] = observations;
  const isReported = type === 'createObject' && !isWatched(ref.kind) && made?.type === 'seen';
  return isReported ? made.object.metadata.uid : undefined;
}
