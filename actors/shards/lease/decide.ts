// What a process should write about leases, given all that it has seen: a pure list of actions. For
// each shard there is one process that may write: its living holder, or, when that is dead, the
// coordinator, the member that joined first. So where all is well nobody is ever refused.
import { assign } from './assignment.ts';
import type { MemberRecord, OwnerRecord } from './records.ts';
import { joinGraceMs, type Terms } from './terms.ts';
import type { View } from './view.ts';

export type Action =
  /** Delete its lease, if it is still as it was seen: from then on it cannot renew any more. */
  | { readonly type: 'declareDead'; readonly member: MemberRecord }
  | {
      readonly type: 'createShard';
      readonly shard: number;
      readonly to: string;
      readonly epoch: number;
    }
  /** To ourselves: a write of ours had no answer, and only another write tells what came of it. */
  | { readonly type: 'giveShard'; readonly record: OwnerRecord; readonly to: string }
  | { readonly type: 'returnShard'; readonly record: OwnerRecord };

export interface Situation {
  readonly self: string;
  readonly leaving: boolean;
  readonly view: View;
  readonly terms: Terms;
  /** Steady clock. */
  readonly now: number;
  /** For how long this process has had no doubt of its own lease. */
  readonly sureForMs: number;
  readonly joinedForMs: number;
  /** A write of ours on this shard had no answer, so the record may be old. */
  readonly isDoubtful: (record: OwnerRecord) => boolean;
}

/** Nothing where the process is not sure of itself. */
export function decide(situation: Situation): readonly Action[] {
  const { terms, self } = situation;
  if (situation.sureForMs <= 0 || !situation.view.isListed) return [];
  const members = stayingMembers(situation);
  const living = members.filter((record) => record.member === self || !isSilent(situation, record));
  const owners = ownersAmong(terms, living);
  // Who is silent is seen sooner by some than by others; who is a member, by all at once. Were
  // holders to judge by the former, they would hand a shard to and fro until all agree.
  const agreed = living.length < members.length ? ownersAmong(terms, members) : owners;
  const isCoordinator = living[0]?.member === self;
  const actions = isCoordinator ? declareDead(situation) : [];
  for (let shard = 0; shard < terms.shards; shard++) {
    const record = situation.view.shard(shard);
    const owner = owners[shard];
    const action =
      record?.holder === self
        ? ofOwn(situation, record, ableOr(self, living, agreed[shard]))
        : isCoordinator && owner !== undefined
          ? ofOrphan(situation, shard, record, owner)
          : undefined;
    if (action !== undefined) actions.push(action);
  }
  return actions;
}

/** Those who do not leave, in the order in which they joined. */
function stayingMembers({ self, leaving, view }: Situation): readonly MemberRecord[] {
  return view
    .members()
    .filter((record) => (record.member === self ? !leaving : !record.leaving))
    .toSorted((a, b) => a.joinedAt - b.joinedAt || (a.member < b.member ? -1 : 1));
}

const ownersAmong = ({ shards }: Terms, members: readonly MemberRecord[]): readonly string[] =>
  assign(
    shards,
    members.map(({ member }) => member),
  );

function isSilent({ view, terms, now, sureForMs }: Situation, { member }: MemberRecord): boolean {
  return Math.min(view.silentFor(member, now), sureForMs) >= terms.durationMs;
}

function declareDead(situation: Situation): Action[] {
  return situation.view
    .members()
    .filter((record) => record.member !== situation.self && isSilent(situation, record))
    .map((member) => ({ type: 'declareDead', member }));
}

/** Nothing is given to a member that is silent. */
const ableOr = (
  self: string,
  living: readonly MemberRecord[],
  owner: string | undefined,
): string | undefined =>
  owner === undefined || living.some(({ member }) => member === owner) ? owner : self;

function ofOwn(
  situation: Situation,
  record: OwnerRecord,
  owner: string | undefined,
): Action | undefined {
  const { self, leaving, view, now, terms } = situation;
  if (owner === undefined) return leaving ? { type: 'returnShard', record } : undefined;
  if (situation.isDoubtful(record)) return { type: 'giveShard', record, to: owner };
  if (owner === self) return undefined;
  // Who gave it may know of members that we have not seen yet: it does not go back at once.
  const isBack = view.formerHolder(record.shard) === owner;
  const isNew = view.shardSeenFor(record.shard, now) < terms.retryMs;
  return isBack && isNew && !leaving ? undefined : { type: 'giveShard', record, to: owner };
}

/** A shard without a living holder. Who has just joined waits a moment: he may not be the first. */
function ofOrphan(
  situation: Situation,
  shard: number,
  record: OwnerRecord | undefined,
  to: string,
): Action | undefined {
  const { view, joinedForMs } = situation;
  if (joinedForMs < joinGraceMs) return undefined;
  if (record === undefined) {
    const epoch = view.epoch(shard) + 1;
    const isNew = epoch === 1;
    if (!isNew && !isOver(situation, view.shardMissingFor(shard, situation.now))) return undefined;
    return { type: 'createShard', shard, to, epoch };
  }
  const { holder } = record;
  if (view.member(holder) !== undefined) return undefined;
  const isFree =
    holder === '' ||
    view.isDead(holder) ||
    isOver(situation, view.missingFor(holder, situation.now));
  return isFree ? { type: 'giveShard', record, to } : undefined;
}

/** Somebody deleted the lease of a holder, or of a shard: the holder may not know it yet. */
function isOver({ terms, sureForMs }: Situation, missingForMs: number | undefined): boolean {
  return Math.min(missingForMs ?? 0, sureForMs) >= terms.durationMs;
}
