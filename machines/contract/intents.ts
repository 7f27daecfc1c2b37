// What a reconcile may ask the runtime to do. Data: nothing here does anything.
import type { JsonObject, KubeObject } from '../kubernetes/objects.ts';
import type { ObjectRef } from './address.ts';
import type { NormalReasons, WarningReason } from './event-reasons.ts';
import type { Kind } from './kind.ts';
import type { AnswerQuestion } from './question.ts';
import type { Entry } from './view.ts';

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
  | ListObjects
  | Publish
  | AnswerQuestion
  | RecordEvent
  | Measure
  | Instruct
  | Decide;

interface WriteBase {
  readonly ref: ObjectRef;
  /** Why, in a few words for people: shows up in facts, logs and `why`. */
  readonly reason: string;
  /** `first`: objects that are there wait for it, e.g. pods whose gate it takes. `behind`: nobody
   *  does, and it yields to those. `last`: it makes nothing, but tells, and yields to both. */
  readonly urgency?: 'first' | 'behind' | 'last';
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
  /** Foreground keeps the object until its own children are gone. Absent: in the background. */
  readonly propagation?: 'Foreground';
  /** Of a pod: it is gone at once, whether or not its node has heard. Absent: as its spec says. */
  readonly gracePeriodSeconds?: 0;
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
  /** `first`, `behind`: as in other writes. `now`: others act on it. `lazy`: mere progress, at most
   *  one a second and after other work. */
  readonly urgency: 'first' | 'now' | 'lazy' | 'behind';
}

/**
 * A consistent list of the objects of a watched kind that have all these labels, begun after this
 * was expressed. What it shows is observed, by all actors that it concerns, before the actor hears
 * `objects.listed`; of what it does not show the watch tells. Expressed again while one with the
 * id is under way, it is dropped; after a failure it is sent when its pause is over, where it was
 * expressed again by then. One that succeeded is over: expressed again, it is another one.
 */
export interface ListObjects {
  readonly type: 'listObjects';
  /** Of this actor's choice: tells one from another. */
  readonly id: string;
  readonly kind: Kind;
  readonly labels: Readonly<Record<string, string>>;
  /** Absent: all. */
  readonly namespaces?: readonly string[];
}

/** What the actor says under a key of a view, in the place of what it said there before; undefined:
 *  nothing any more. It stands until the actor ends or is parked.
 *  Saying the same again costs nothing. */
export interface Publish extends Entry {
  readonly type: 'publish';
}

/** A core/v1 Event. The runtime aggregates repeats into count and lastTimestamp. */
export type RecordEvent = {
  readonly type: 'recordEvent';
  readonly regarding: ObjectRef & { readonly uid: string };
  readonly note: string;
  /** Who says it, where that is not the controller of the actor. */
  readonly reporter?: string;
} & (
  | { readonly severity: 'Normal'; readonly reason: keyof NormalReasons }
  | { readonly severity: 'Warning'; readonly reason: WarningReason }
);

/** A number for a family that the module declares (`Module.families`): what a counter grows by, or
 *  an observation of a histogram. Counted once each time that it is expressed: it is no write, so
 *  whoever must not count twice expresses it once. */
export interface Measure {
  readonly type: 'measure';
  readonly family: string;
  /** Those of the family, no more and no fewer. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** An act for the data plane of this kind of actor, e.g. for a pod table of the activator. Carried
 *  out at once and in order; what comes of it, and what happens there, comes back as events of the
 *  module. The data plane outlives a crash of the actor, so whoever starts asks it first how things
 *  stand. */
export interface Instruct {
  readonly type: 'instruct';
  readonly instruction: Instruction;
}

/** As the module defines it. */
export interface Instruction {
  readonly type: string;
}

/** A decision worth telling people: published as a fact, kept for `why`. Expressed on change
 *  only. */
export interface Decide {
  readonly type: 'decide';
  readonly what: string;
  readonly why: string;
}
