// A write that an actor asked for, on its way to the cluster, and the request that it becomes.
// Preconditions are added here: no write leaves without one (a create has its name as one).
import type {
  CreateObject,
  DeleteObject,
  PatchObject,
  WriteStatus,
} from '#machines/contract/intents.ts';
import type { Operation } from '#machines/contract/kind.ts';
import { apiVersionOf } from '#machines/kinds.ts';
import { isEqual, object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Known } from '../mail/cache.ts';
import type { Cause } from '../mail/causality.ts';
import type { Write } from '../ports.ts';
import type { Actor } from '../run/actor.ts';

export type WriteIntent = CreateObject | PatchObject | DeleteObject | WriteStatus;
export type WriteType = WriteIntent['type'];

/** `first` before all, as objects that are there wait for it; `child` before `root` so that what
 *  was begun is finished first; `status` after the objects that it tells of; `behind`, `lazy`
 *  and `last` when nothing else waits. */
export type Rank = 'first' | 'child' | 'root' | 'status' | 'lazy' | 'behind' | 'last';

export interface Work {
  readonly actor: Actor;
  readonly intent: WriteIntent;
  readonly rank: Rank;
  /** What led to it; `reconcileId` names the reconcile that asked for it. */
  readonly cause: Cause;
  readonly reconcileId: string;
  /** Of the actor's own object when it was asked for. */
  readonly generation: number | undefined;
  /** Epoch of the shard's lease when it was asked for. */
  readonly epoch: number;
  /** Of the object that it is about, as known when it was asked for. */
  readonly version: string | undefined;
  /** Overtaken or withdrawn: the queue skips it. */
  isDropped: boolean;
}

export const workOf = (
  actor: Actor,
  intent: WriteIntent,
  rest: Pick<Work, 'rank' | 'cause' | 'reconcileId' | 'epoch' | 'version'>,
): Work => ({ actor, intent, ...rest, generation: actor.generation, isDropped: false });

export const operationOf: Record<WriteType, Operation> = {
  createObject: 'create',
  patchObject: 'patch',
  deleteObject: 'delete',
  writeStatus: 'status',
};

const weight: Record<Operation, number> = { delete: 3, create: 2, patch: 1, status: 0 };

/**
 * True when `next` takes the place of `queued`, which was not sent yet, on the same object. To
 * create what is there can only fail, and must not keep others from making room for it; and what
 * was refused last may be refused for ever, and must not keep the status from saying so.
 */
export function overtakes(
  next: WriteIntent,
  queued: WriteIntent,
  { isThere, refused }: { readonly isThere: boolean; readonly refused?: WriteType | undefined },
): boolean {
  const weigh = ({ type }: WriteIntent): number =>
    (isThere && type === 'createObject') || type === refused ? -1 : weight[operationOf[type]];
  return weigh(next) >= weigh(queued);
}

/** The rank of a work; a status that others wait for stays urgent when a lazy one overtakes it. */
export function rankOf(actor: Actor, intent: WriteIntent, queued: Work | undefined): Rank {
  const { urgency } = intent;
  if (urgency === 'first') return urgency;
  if (intent.type === 'writeStatus') {
    const isWaitedFor = queued !== undefined && queued.rank !== 'lazy' && queued.rank !== 'behind';
    return intent.urgency === 'now' || isWaitedFor ? 'status' : intent.urgency;
  }
  if (urgency === 'behind' || urgency === 'last') return urgency;
  return actor.isRoot ? 'root' : 'child';
}

/** Its actor has reconciled since and did not ask for it again, or its object has another spec by
 *  now: a kind may be paused for minutes, and what waited for that must not be done after all, e.g.
 *  a pod be created that was scaled away. */
export function isOutdated({ actor, reconcileId, generation }: Work): boolean {
  if (actor.mode !== 'alive') return false;
  const isLeftOut = actor.behaviour.saysAll === true && actor.lastReconcileId !== reconcileId;
  return generation !== actor.generation || (isLeftOut && actor.lastReconcileId !== undefined);
}

/**
 * What it would change or delete was seen anew since. An actor that says only what changed may have
 * left it out by now, e.g. as the object is another owner's: it is asked, and says it again if not.
 * A status is asked for again of every actor: it repeats what others have put there, and would be
 * sent with a version that it does not know.
 */
export function isOvertakenByNews(
  { actor, intent, version }: Work,
  known: Known | undefined,
): boolean {
  if (intent.type === 'writeStatus') return known !== undefined && known.version !== version;
  const isOnOld = intent.type === 'patchObject' || intent.type === 'deleteObject';
  return isOnOld && actor.behaviour.saysAll !== true && known?.version !== version;
}

/** True when the newest status seen of the object says the same already. */
export const isWritten = (intent: WriteStatus, known: Known): boolean =>
  isEqual(known.object['status'] ?? {}, intent.status);

/** The request for an intent; undefined where a status has become needless or its object went. */
export function requestOf(intent: WriteIntent, known: Known | undefined): Write | undefined {
  const { ref } = intent;
  switch (intent.type) {
    case 'createObject':
      return { op: 'create', ref, body: intent.body };
    case 'patchObject':
      return { op: 'patch', ref, patch: withPreconditions(intent) };
    case 'deleteObject':
      return {
        op: 'delete',
        ref,
        uid: intent.uid,
        ...(intent.resourceVersion !== undefined && { resourceVersion: intent.resourceVersion }),
        ...(intent.propagation !== undefined && { propagation: intent.propagation }),
        ...(intent.gracePeriodSeconds !== undefined && {
          gracePeriodSeconds: intent.gracePeriodSeconds,
        }),
      };
    case 'writeStatus':
      if (known === undefined || known.uid !== intent.uid) return undefined;
      return isWritten(intent, known) ? undefined : statusRequest(intent, known);
  }
}

function statusRequest(intent: WriteStatus, known: Known): Write {
  // The object may have come in another version than the server has now.
  const apiVersion = apiVersionOf(intent.ref.kind);
  const { kind } = known.object;
  const { name, namespace } = intent.ref;
  const metadata = { name, namespace, uid: known.uid, resourceVersion: known.version };
  return {
    op: 'status',
    ref: intent.ref,
    body: { apiVersion, kind, metadata, status: intent.status },
  };
}

function withPreconditions(intent: PatchObject): JsonObject {
  const { patch, uid, resourceVersion } = intent;
  const version = resourceVersion === undefined ? {} : { resourceVersion };
  return { ...patch, metadata: { ...object(patch['metadata']), uid, ...version } };
}
