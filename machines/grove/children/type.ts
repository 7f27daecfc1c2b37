// A kind of child as one row of a table: how it is read, where it belongs, which ones are wanted
// and how one is put right. A parent has one table; reconcile.ts works through it and reduce.ts
// keeps what was observed.
import type { WarningReason } from '../../contract/event-reasons.ts';
import type { Intent } from '../../contract/intents.ts';
import type { Kind, Operation } from '../../contract/kind.ts';
import type { View } from '../../contract/view.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import type { Place } from '../objects/names.ts';

export interface ObservedChild extends Meta {
  readonly kind: Kind;
}

export type ObservedByKind<Observed> = { readonly [K in keyof Observed]: ObservedChild };

/** What was observed of one kind, by slot. */
export type Slots<F> = ReadonlyMap<string, F>;

/** What was observed of every kind of a table. */
export type Family<Observed> = { readonly [K in keyof Observed]: Slots<Observed[K]> };

export interface Desired<F> {
  readonly slot: string;
  readonly name: string;
  /** Why it is created, for people. */
  readonly reason: string;
  /** Absent: it may not be created yet. */
  readonly build?: () => KubeObject;
  /** True: nothing lacks without it. */
  readonly isOptional?: boolean;
  /** What puts one right that is there; undefined: it is right. Absent: it stays as it is, or its
   *  own actor reads what is wanted. */
  patch?(there: F): ChildPatch | undefined;
  /** What the actor of one that is there is to read; undefined: it is as it should be. */
  desired?(there: F): unknown;
}

export interface ChildPatch {
  readonly patch: JsonObject;
  readonly reason: string;
  /** The patch replaces what others write too. */
  readonly resourceVersion?: string;
}

/** `S`: what the parent knows of the place. */
export interface ChildType<F extends ObservedChild, S> {
  readonly kind: F['kind'];
  readonly read: (source: KubeObject) => F | Malformed;
  /** By the exact name; undefined: it is none of this parent's. */
  readonly place: (parent: string, name: string) => Place | undefined;
  hasChanged(old: F | undefined, now: F): boolean;
  /** Patches carry the version of the child, so it is kept where nothing else has changed. */
  readonly keepsVersion?: true;
  /** In the order of creation. */
  readonly desired: (scope: S) => readonly Desired<F>[];
  /** Where whoever leads its life reads what its parent wants, by its key. */
  readonly desiredView?: View;
  /** Why one goes that is not desired; absent: it stays. */
  readonly surplus?: string;
  /** What takes our finalizer off, before a deletion and whoever deletes it. */
  removeFinalizer?(child: F): readonly Intent[];
  /** It has children that a deletion in the foreground waits for. */
  readonly hasChildren?: true;
  /** Of a failed write, in the parent's `lastErrors` (spec api 2.4). */
  readonly errorCode: Readonly<Record<ChildOperation, string>>;
  /** Of the Warning that tells of a failed write (spec controllers 9.3). */
  readonly eventReason: Readonly<Record<ChildOperation, WarningReason>>;
}

type ChildOperation = Exclude<Operation, 'status'>;

/** In the order in which they come. */
export type ChildTable<Observed extends ObservedByKind<Observed>, S> = {
  readonly [K in keyof Observed]: ChildType<Observed[K], S>;
};

/** A row for a failed write, where an update is told as a creation. */
export const sameForAll = <T extends string>(
  write: T,
  remove: T,
): Readonly<Record<ChildOperation, T>> => ({
  create: write,
  patch: write,
  delete: remove,
});

export const isEmpty = <Observed>(family: Family<Observed>): boolean => {
  for (const kind in family) if (family[kind].size > 0) return false;
  return true;
};
