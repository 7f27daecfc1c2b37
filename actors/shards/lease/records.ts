// The leases as the protocol sees them, and the store that keeps them: src/leases implements it
// with coordination.k8s.io/v1, tests on a virtual clock. Nothing here says how a lease is written.
import type { Versions } from '../../ports.ts';

interface Stored {
  readonly uid: string;
  /** resourceVersion: a write names it and is refused when the lease has changed. */
  readonly version: string;
}

/** One per process: that it is alive. Renewed all the time. */
export interface MemberLease {
  readonly type: 'member';
  /** Unique to one life of a process; never used again. */
  readonly member: string;
  /** Orders members by when they joined: microseconds, later than all that were there. */
  readonly joinedAt: number;
  /** It gives its shards away and takes no more. */
  readonly leaving: boolean;
  /** Where it answers questions of other processes; absent: nowhere. */
  readonly address?: string;
}

/** One per shard: who owns it. Written only when it changes hands. */
export interface ShardRecord {
  readonly type: 'shard';
  readonly shard: number;
  /** A member, or empty: given back. */
  readonly holder: string;
  /** Grows with every change of hands. */
  readonly epoch: number;
  /** By the holder before, for shards that were handed over. */
  readonly written: Versions;
}

export type Draft = MemberLease | ShardRecord;
export type MemberRecord = MemberLease & Stored;
export type OwnerRecord = ShardRecord & Stored;
export type LeaseRecord = MemberRecord | OwnerRecord;

export type StoreOutcome =
  | { readonly ok: true; readonly record: LeaseRecord }
  /** `changed`: it exists in another version, or under a create at all. `gone`: it does not exist.
   *  `unknown`: no answer, or none that says whether it was done. `refused`: it was not done. */
  | {
      readonly ok: false;
      readonly why: 'changed' | 'gone' | 'unknown' | 'refused';
      readonly message: string;
    };

export interface StoreSink {
  /** A complete list: what is not in it did not exist at that version. */
  readonly listed: (records: readonly LeaseRecord[], version: string) => void;
  readonly seen: (record: LeaseRecord) => void;
  readonly gone: (record: LeaseRecord) => void;
}

/** One request each, bounded in time; nothing here rejects. Calls come on a later turn. */
export interface LeaseStore {
  create(draft: Draft): Promise<StoreOutcome>;
  /** Replaces the lease if it is still of this uid and version. */
  update(draft: Draft, of: Stored): Promise<StoreOutcome>;
  readMember(member: string): Promise<StoreOutcome>;
  /** Deletes the member's lease if it is still of this uid and version; any version without. */
  remove(
    member: string,
    of: { readonly uid: string; readonly version?: string },
  ): Promise<StoreOutcome>;
  /** Lists and then watches, for ever; the returned function ends it. */
  follow(sink: StoreSink): Followed;
}

export interface Followed {
  /** Lists anew: what comes through the watch is too old. */
  readonly refresh: () => void;
  readonly stop: () => void;
}
