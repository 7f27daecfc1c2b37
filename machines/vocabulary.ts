// What behaviours and the runtime say to each other: addresses, the events that every behaviour
// takes, and the intents that a reconcile may yield. Nothing here does anything.
import type { ErrorCode } from './errors.ts';
import type { ActorKind, Kind, Operation } from './kind.ts';
import type { JsonObject, KubeObject, ObjectRef } from './objects.ts';
import type { AnswerQuestion } from './question.ts';
import type { Entry } from './view.ts';

/** Milliseconds since the epoch, of the clock port. */
export type EpochMs = number;

/** The address of an actor: the object whose life it leads. */
export interface ActorKey {
  readonly kind: ActorKind;
  readonly namespace: string;
  readonly name: string;
}

/** `kind/namespace/name`, e.g. `podclique/default/demo-0-worker`. Names hold no slash. */
export const actorId = (key: ActorKey): string => `${key.kind}/${key.namespace}/${key.name}`;

export type { Operation } from './kind.ts';

/** Events that every behaviour takes besides observations and views of its own. A reconcile
 *  follows each. */
export type CommonEvent =
  /** A write succeeded. The object in the reply was delivered as an observation before this. */
  | {
      readonly type: 'effect.done';
      readonly op: Operation;
      readonly ref: ObjectRef;
      /** Of what was created, where the kind is not watched and so nothing was delivered. */
      readonly uid?: string;
    }
  /** A write failed. While `retryAt` lies ahead the runtime drops intents on this object; at that
   *  time the actor is touched again by `effect.retry`. `retryAt` null: not before a new spec. */
  | {
      readonly type: 'effect.failed';
      readonly op: Operation;
      readonly ref: ObjectRef;
      readonly code: ErrorCode;
      readonly message: string;
      readonly now: EpochMs;
      readonly retryAt: EpochMs | null;
    }
  /** A write on this object may be tried again: the actor's own failed and its pause is over, or
   *  its intent was dropped because the object was busy and that has ended. */
  | { readonly type: 'effect.retry'; readonly ref: ObjectRef };

/**
 * An act that a machine wants. Writes are idempotent to express: an intent on an object that has a
 * write under way (or is backing off) is dropped, and the actor is touched again when that ends. So
 * a plan states every time what it wants, and needs no book of what it asked for - except where a
 * choice must stick (a pod chosen for deletion), which belongs in the context.
 */
export type Intent =
  | CreateObject
  | PatchObject
  | DeleteObject
  | WriteStatus
  | Publish
  | AnswerQuestion
  | RecordEvent
  | Decide;

interface WriteBase {
  readonly ref: ObjectRef;
  /** Why, in a few words for people: shows up in facts, logs and `why`. */
  readonly reason: string;
  /** `first`: objects that are there wait for it, e.g. pods whose gate it takes. */
  readonly urgency?: 'first';
}

/** POST. The name is set and deterministic; ALREADY_EXISTS with the same controller owner UID
 *  counts as success: the runtime reads the object and delivers it as an observation. */
export interface CreateObject extends WriteBase {
  readonly type: 'createObject';
  readonly body: KubeObject;
  /** What it takes the place of, where each has another name: what goes again and again is made
   *  anew ever less often by this. Absent: the name. */
  readonly place?: string;
}

/** JSON merge patch. `metadata.uid` (and `resourceVersion` where given) are sent as
 *  preconditions. */
export interface PatchObject extends WriteBase {
  readonly type: 'patchObject';
  readonly patch: JsonObject;
  readonly uid: string;
  /** Given where the patch replaces a list or a value that others write too (finalizers, gates). */
  readonly resourceVersion?: string;
}

/** DELETE with a UID precondition. */
export interface DeleteObject extends WriteBase {
  readonly type: 'deleteObject';
  readonly uid: string;
  readonly resourceVersion?: string;
  readonly gracePeriodSeconds?: number;
  /** Foreground keeps the object until its own children are gone. Absent: in the background. */
  readonly propagation?: 'Foreground';
}

/**
 * The whole status of the machine's own object. Expressed at every reconcile: the runtime compares
 * it with the newest status seen, sends nothing if equal, keeps only the latest, and PUTs it at the
 * newest resourceVersion seen. So every change of the own object's status must count as news.
 */
export interface WriteStatus extends Omit<WriteBase, 'urgency'> {
  readonly type: 'writeStatus';
  readonly uid: string;
  readonly status: JsonObject;
  /** `first`: as in other writes. `now`: others act on it. `lazy`: mere progress, at most one a
   *  second and after other work. */
  readonly urgency: 'first' | 'now' | 'lazy';
}

/** What the actor says under a key of a view, in the place of what it said there before; undefined:
 *  nothing any more. It stands until the actor ends or is parked.
 *  Saying the same again costs nothing. */
export interface Publish extends Entry {
  readonly type: 'publish';
}

/** A core/v1 Event. The runtime aggregates repeats into count and lastTimestamp. */
export interface RecordEvent {
  readonly type: 'recordEvent';
  readonly regarding: ObjectRef & { readonly uid: string };
  readonly severity: 'Normal' | 'Warning';
  readonly reason: string;
  readonly note: string;
  /** Who says it, where that is not the controller of the actor. */
  readonly reporter?: string;
}

/** A decision worth telling people: published as a fact, kept for `why`. Expressed on change
 *  only. */
export interface Decide {
  readonly type: 'decide';
  readonly what: string;
  readonly why: string;
}

/**
 * How objects of one kind become events of actors. Pure. `decode` is total: what lacks a needed
 * field yields `{ malformed }` (field, what is wrong), never a throw.
 */
export interface Route<Fact = unknown> {
  readonly kind: Kind;
  readonly decode: (object: KubeObject) => Fact | { readonly malformed: string };
  /** The actors that want this object, with the event each gets. */
  readonly deliver: (fact: Fact, object: KubeObject) => readonly Delivery[];
  /** The same for an object that is gone for sure (deleted, or absent from a complete list). */
  readonly forget: (fact: Fact, object: KubeObject) => readonly Delivery[];
  /** What it is in views, for whoever reads these. */
  readonly show?: (fact: Fact) => readonly Entry[];
}

export interface Delivery {
  readonly to: ActorKey;
  /** The key of the root object of the tree that the actor lives in: it picks the shard. Once the
   *  actor's own object is known that says it, and may say another later: the actor moves. */
  readonly root: ActorKey;
  readonly event: { readonly type: string };
}
