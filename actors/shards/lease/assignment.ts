// Who should own which shard: rendezvous hashing of shards over members, with a bound on the load,
// so that every process computes the same answer from the same members and few shards move when one
// comes or goes. Used by decide.ts; the hash never changes, it is a contract between processes.
import { hash32 } from '../shard.ts';

/** The owner of each shard by its number. Empty where there is no member. */
export function assign(shards: number, members: readonly string[]): readonly string[] {
  const most = Math.ceil(shards / members.length);
  const load = new Map(members.map((member) => [member, 0]));
  const owners: string[] = [];
  for (const { shard, member } of preferences(shards, members)) {
    const carried = load.get(member) ?? 0;
    if (owners[shard] !== undefined || carried >= most) continue;
    owners[shard] = member;
    load.set(member, carried + 1);
  }
  return owners;
}

interface Preference {
  readonly shard: number;
  readonly member: string;
  readonly weight: number;
}

/** Every pair, heaviest first. */
function preferences(shards: number, members: readonly string[]): readonly Preference[] {
  const pairs = members.flatMap((member) =>
    Array.from({ length: shards }, (_, shard) => ({ shard, member, weight: weigh(shard, member) })),
  );
  return pairs.toSorted(
    (a, b) => b.weight - a.weight || a.shard - b.shard || (a.member < b.member ? -1 : 1),
  );
}

/** FNV-1a spreads the last characters badly; the finisher of murmur3 makes up for it. */
function weigh(shard: number, member: string): number {
  let hash = hash32(`${member}/${shard}`);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
