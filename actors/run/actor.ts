// What the runtime keeps for one actor besides its snapshot: mail, mode, crashes, deadline. A
// plain record: its tree steps it, the supervisor changes its mode, the scheduler its place in the
// queues.
import type { AnyMachineSnapshot } from 'xstate';
import { actorId, type ActorKey, type ObjectRef } from '#machines/contract/address.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import { actorKindOf, objectKind } from '#machines/kinds.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Cause } from '../mail/causality.ts';
import { Mailbox } from '../mail/mailbox.ts';
import type { Read } from '../views/views.ts';

/** `waiting`: crashed, to be restarted after its back-off. */
export type Mode = 'alive' | 'waiting' | 'parked' | 'ended';

export interface Parking {
  readonly at: EpochMs;
  readonly error: string;
  readonly restarts: number;
  /** Generation of the own object by then; another one un-parks. */
  readonly generation: number | undefined;
}

export interface Decision {
  readonly at: EpochMs;
  readonly what: string;
  readonly why: string;
}

export class Actor {
  readonly id: string;
  readonly key: ActorKey;
  readonly root: ActorKey;
  /** It is the root of its tree. */
  readonly isRoot: boolean;
  readonly shard: number;
  readonly behaviour: Behaviour;
  /** The object whose life this actor leads. */
  readonly ref: ObjectRef;
  readonly mailbox = new Mailbox();
  /** What it reads, with what it was handed last, by cell (views.ts). */
  readonly reads = new Map<string, Read>();
  readonly decisions: Decision[] = [];
  mode: Mode = 'alive';
  /** When it is reconciled again at the latest: the first of what it waits for. */
  wakesAt: EpochMs | undefined;
  /** Undefined before the first start and after a crash. */
  snapshot: AnyMachineSnapshot | undefined;
  /** UID of the own object that this actor was started for, once seen. */
  uid: string | undefined;
  /** Generation of the own object as last routed. */
  generation: number | undefined;
  /** On the steady clock. */
  crashes: readonly number[] = [];
  /** Restarts since the actor was started or un-parked. */
  restarts = 0;
  parking: Parking | undefined;
  /** It was there before this process looked after it. */
  isFound = false;
  /** The newest fact of the process when it was started. */
  place = 0;
  /** When it entered its state. */
  since: EpochMs = 0;
  /** Place of the newest fact as its row became another; the mailbox is not followed. */
  changedAt = 0;
  /** Who controls its own object, as last seen: the UID, and the actor where that has one. */
  controllerUid: string | undefined;
  parent: string | undefined;
  /** In the scheduler's queue of those with mail. */
  isScheduled = false;
  /** The newest reconcile, as its writes name it; undefined before the first. */
  lastReconcileId: string | undefined;
  /** The bus has taken an envelope that is to wake it. */
  isWakeAwaited = false;
  /** Since when its reconcile gives way, on the steady clock; undefined: it does not. */
  yieldsSince: number | undefined;
  /** Why it is to reconcile at the end of the tick; undefined when it is not. */
  touched: Cause | undefined;

  constructor(place: { key: ActorKey; root: ActorKey; shard: number }, behaviour: Behaviour) {
    this.id = actorId(place.key);
    this.key = place.key;
    this.root = place.root;
    this.isRoot = actorId(place.root) === this.id;
    this.shard = place.shard;
    this.behaviour = behaviour;
    this.ref = ownRef(place.key);
  }
}

/** The reference to an actor's own object. */
export const ownRef = (key: ActorKey): ObjectRef => ({
  kind: objectKind(key.kind),
  namespace: key.namespace,
  name: key.name,
});

/** The actor that leads the life of this object, if its kind has one. */
export function ownerOfLife(ref: ObjectRef): ActorKey | undefined {
  const kind = actorKindOf(ref.kind);
  return kind === undefined ? undefined : { kind, namespace: ref.namespace, name: ref.name };
}

/** An error as text for people, bounded. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.length > 500 ? `${text.slice(0, 499)}…` : text;
}
