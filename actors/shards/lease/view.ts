// What a process has seen of the leases, and since when each is as it is, on its own steady clock.
// The times that stand in the leases are never compared with a clock. Filled by keeper.ts from the
// store's watch and from replies; read by decide.ts.
import { isNewer } from '#machines/kubernetes/versions.ts';
import type { LeaseRecord, MemberRecord, OwnerRecord } from './records.ts';

interface Seen<R> {
  readonly record: R;
  /** Steady clock: when this version was first seen. */
  readonly since: number;
}

export class View {
  readonly #members = new Map<string, Seen<MemberRecord>>();
  readonly #shards = new Map<number, Seen<OwnerRecord>>();
  readonly #formerHolders = new Map<number, string>();
  /** By which version the last lease of a shard that was lost was gone. */
  readonly #ends = new Map<number, { readonly uid: string; readonly version: string }>();
  /** When a member, or the lease of a shard, was first found missing. */
  readonly #missing = new Map<string, number>();
  /** Members of which it is certain that they hold nothing any more. */
  readonly #dead = new Set<string>();
  /** The highest epoch ever seen of a shard, and who was the first to have it. */
  readonly #epochs = new Map<number, { readonly epoch: number; readonly holder: string }>();
  /** Of the last complete list; empty before the first. */
  #listVersion = '';

  /** A complete list has been seen. */
  get isListed(): boolean {
    return this.#listVersion !== '';
  }

  /** Takes a record if it is newer than what is known. */
  take(record: LeaseRecord, now: number): void {
    if (record.type === 'member') this.#takeMember(record, now);
    else if (!this.#isOver(record)) this.#takeShard(record, now);
  }

  /** Late news of a lease of which an event, or a list without it, has told the end: the answer to
   *  a write may come after that. */
  #isOver({ shard, uid, version }: OwnerRecord): boolean {
    if (this.#shards.has(shard)) return false;
    const end = this.#ends.get(shard);
    const isListedSince = this.isListed && !isNewer(version, this.#listVersion);
    return isListedSince || (end?.uid === uid && !isNewer(version, end.version));
  }

  #takeShard(record: OwnerRecord, now: number): void {
    const before = this.#shards.get(record.shard)?.record;
    if (before !== undefined && !isNewer(record.version, before.version)) return;
    if (before !== undefined) this.#formerHolders.set(record.shard, before.holder);
    this.#shards.set(record.shard, { record, since: now });
    this.#missing.delete(shardKey(record.shard));
    const { shard, epoch, holder } = record;
    if (epoch > this.epoch(shard)) this.#epochs.set(shard, { epoch, holder });
    if (record.holder !== '' && !this.#members.has(record.holder)) this.#miss(record.holder, now);
  }

  #takeMember(record: MemberRecord, now: number): void {
    const { member, version } = record;
    const before = this.#members.get(member)?.record;
    // A member has one life: what comes after its end is late news.
    if (this.#dead.has(member)) return;
    if (before !== undefined && !isNewer(version, before.version)) return;
    this.#members.set(member, { record, since: now });
    this.#missing.delete(member);
  }

  drop(record: LeaseRecord, now: number): void {
    if (record.type === 'member') {
      const known = this.#members.get(record.member)?.record;
      if (known?.uid !== record.uid) return;
      // Who leaves deletes its lease when it has nothing left.
      if (known.leaving) return this.markDead(record.member);
      this.#members.delete(record.member);
      this.#miss(record.member, now);
    } else {
      const { shard, uid, version } = record;
      const known = this.#shards.get(shard)?.record;
      if (known?.uid !== uid) return;
      this.#ends.set(shard, {
        uid,
        version: isNewer(version, known.version) ? version : known.version,
      });
      this.#shards.delete(shard);
      this.#miss(shardKey(record.shard), now);
    }
  }

  /** A complete list: what is not in it is gone, unless it came after the list. */
  list(records: readonly LeaseRecord[], version: string, now: number): void {
    this.#listVersion = version;
    const uids = new Set(records.map(({ uid }) => uid));
    for (const { record } of [...this.#members.values(), ...this.#shards.values()]) {
      if (!uids.has(record.uid) && !isNewer(record.version, version)) this.drop(record, now);
    }
    for (const record of records) this.#setBack(record, version);
    for (const record of records) if (record.type === 'member') this.take(record, now);
    for (const record of records) if (record.type === 'shard') this.#takeShard(record, now);
  }

  /** A list that is young enough shows a lease as it was before: the server was restored from a
   *  backup, and what was known never was. */
  #setBack(record: LeaseRecord, listVersion: string): void {
    const isMember = record.type === 'member';
    const seen = isMember ? this.#members.get(record.member) : this.#shards.get(record.shard);
    const known = seen?.record.version ?? record.version;
    if (!isNewer(known, record.version) || isNewer(known, listVersion)) return;
    if (isMember) this.#members.delete(record.member);
    else this.#shards.delete(record.shard);
  }

  /** It was declared dead by us, or is an earlier life of ours: it surely holds nothing. */
  markDead(member: string): void {
    this.#members.delete(member);
    this.#missing.delete(member);
    this.#dead.add(member);
  }

  isDead(member: string): boolean {
    return this.#dead.has(member);
  }

  member(id: string): MemberRecord | undefined {
    return this.#members.get(id)?.record;
  }

  members(): readonly MemberRecord[] {
    return [...this.#members.values()].map(({ record }) => record);
  }

  shard(shard: number): OwnerRecord | undefined {
    return this.#shards.get(shard)?.record;
  }

  /** For how long the lease of the shard has been seen as it is. */
  shardSeenFor(shard: number, now: number): number {
    const seen = this.#shards.get(shard);
    return seen === undefined ? 0 : now - seen.since;
  }

  /** Who was seen to hold the shard before; empty: nobody. */
  formerHolder(shard: number): string {
    return this.#formerHolders.get(shard) ?? '';
  }

  /** The highest epoch that was ever seen, 0 for none. */
  epoch(shard: number): number {
    return this.#epochs.get(shard)?.epoch ?? 0;
  }

  /** Somebody edited the lease by hand: another holder had this epoch, or a later one. What that
   *  one sent would be taken for news of the new holder, so the epoch is not used again. */
  isUsedEpoch({ shard, epoch, holder }: OwnerRecord): boolean {
    const highest = this.#epochs.get(shard);
    if (highest === undefined || epoch > highest.epoch) return false;
    return epoch < highest.epoch || holder !== highest.holder;
  }

  /** For how long the member's lease has been seen as it is. */
  silentFor(member: string, now: number): number {
    const seen = this.#members.get(member);
    return seen === undefined ? 0 : now - seen.since;
  }

  /** For how long the member has been missing; undefined when it is there or never was missed. */
  missingFor(member: string, now: number): number | undefined {
    const since = this.#missing.get(member);
    return since === undefined ? undefined : now - since;
  }

  /** For how long a lease of a shard that was once there has been missing. */
  shardMissingFor(shard: number, now: number): number | undefined {
    return this.missingFor(shardKey(shard), now);
  }

  #miss(key: string, now: number): void {
    if (!this.#missing.has(key) && !this.#dead.has(key)) this.#missing.set(key, now);
  }
}

/** No member is named so: names of leases have no `#`. */
const shardKey = (shard: number): string => `#${shard}`;
