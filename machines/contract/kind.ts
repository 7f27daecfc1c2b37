// What a kind of object is to Coppice, and the names of all kinds: each module adds its own to the
// two interfaces below, beside its rows (machines/<group>/kinds.ts). Types only.
import type { JsonObject } from '../kubernetes/objects.ts';

export type Operation = 'create' | 'patch' | 'delete' | 'status';

/** Keys are the kinds whose objects are read or written. */
export interface KindNames {}

export type Kind = keyof KindNames;

/** Keys are the kinds that have a life, so an actor each. Lower case, as in subjects and
 *  metrics. */
export interface ActorNames {}

export type ActorKind = keyof ActorNames;

export interface KindRow {
  /** In which it is addressed; `kindRow` has the one that the cluster serves. */
  readonly apiVersion: string;
  /** Of the same group, newest first, for clusters that do not serve that one. Objects are kept as
   *  the server gives them, so who reads them knows all versions. Of watched kinds only: their
   *  first list finds out. */
  readonly olderVersions?: readonly string[];
  /** What the API calls it, where our key is another: two groups may give a kind the same name. */
  readonly kind?: string;
  readonly plural: string;
  /** Only objects with this value of `app.kubernetes.io/managed-by` are listed and watched (spec
   *  controllers 0.6); absent: all are. */
  readonly managedBy?: string;
  /** Only objects that have this label, with any value, are listed and watched; absent: all are.
   *  Two rows may select different objects of one kind of the API, each under its own name. */
  readonly labelled?: string;
  /** A label that all of ours have too: by it those are found that lost `managedBy`. Given where a
   *  second object would be made for the same purpose; where names are computed, whoever creates
   *  one finds the first. */
  readonly alsoLabelled?: string;
  /** What is kept in memory of an object besides its metadata; absent: everything. Total, as it
   *  gets what the server sends, and cheap, as it does at every event. */
  readonly keeps?: (object: JsonObject) => Readonly<Record<string, unknown>>;
  /** Says how much is wanted, or is what is counted: whoever takes over a shard lists it anew
   *  before anything is planned (decision 0012). */
  readonly isDeciding?: true;
  /** People wait for what comes of such an object: what a watch says of it is taken in at once,
   *  also under load. */
  readonly isAwaited?: true;
  /** No finalizer holds it, and an object of another kind is in its tree as long as it is of any
   *  use: a process without actors does not watch it. */
  readonly isNeverAlone?: true;
  /** All that intents may do to it, as the chart grants it; a simulation fails at anything else.
   *  Without `status` it has no status subresource: who is parked says so by an Event alone. */
  readonly writes: readonly Operation[];
  /** Kinds that control objects of this one, which keep them from going first: some clusters have
   *  a permission for that (OwnerReferencesPermissionEnforcement). */
  readonly owners: readonly string[];
  /** Has no namespace: references to it have an empty one. */
  readonly isClusterScoped?: boolean;
  /** Belongs to a scheduler backend: it is watched where that one is enabled, and even there its
   *  CRD may be missing, which counts as no objects. */
  readonly backend?: SchedulerBackend;
  /** Clusters need not serve it: a missing one counts as no objects. */
  readonly isOptional?: true;
  /** Belongs to a part of the configuration that may be off: watched only where that is on. */
  readonly feature?: Feature;
  /** Its actors run in processes of their own and not in the controller, so nobody can ask about
   *  them there. */
  readonly isApart?: true;
  /** Neither listed nor watched, and read only where the configuration says so: what is known of it
   *  are the answers to our writes. */
  readonly isUnwatched?: true;
}

/** Scheduler backends that have objects of their own (spec controllers 8.4). */
export type SchedulerBackend = 'kai-scheduler' | 'volcano';

/** Parts of the configuration that have objects of their own (spec controllers 8.1, agent-sandbox
 *  4.1). */
export type Feature = 'computeDomains' | 'sandboxExtensions';
