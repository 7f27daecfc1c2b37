// Which trees run here, and from when on: a shard that was gained waits until what decides was read
// anew and the cache knows what its owner before wrote, but not for ever.
import { describe, expect, it } from 'vitest';
import type { ShardLease } from '#actors/ports.ts';
import { Ownership } from '#actors/shards/ownership.ts';
import { shardOf } from '#actors/shards/shard.ts';
import { decidingKinds, type Kind } from '#machines/kinds.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { setKey } from '../fixtures/facts.ts';

const shards = 4;
const root = setKey('demo');
const ours = shardOf(root, shards);
const written = { Pod: '7' };

function scene({ isRefreshing = false, runs }: { isRefreshing?: boolean; runs?: boolean } = {}) {
  const clock = new VirtualClock();
  const state = { holds: true, hasSeen: false, hasRead: true };
  const asked: (readonly Kind[])[] = [];
  const reads: (() => void)[] = [];
  const lease: ShardLease = {
    shards,
    holds: (shard) => shard === ours && state.holds,
    ...(runs === undefined ? {} : { runs: (shard: number) => shard === ours && runs }),
    epoch: () => 1,
    onChange: () => () => {},
  };
  const ownership = new Ownership({
    ...{ lease, clock },
    hasSeen: (versions) => versions === written && state.hasSeen,
    refresh: isRefreshing
      ? (kinds) => {
          asked.push(kinds);
          return new Promise((resolve) => reads.push(() => resolve(() => state.hasRead)));
        }
      : undefined,
  });
  const begun: string[] = [];
  const gain = (name = 'begun'): void =>
    ownership.gained(ours, written, () => begun.push(`${name} ${ownership.isHere(root)}`));
  return { clock, state, asked, reads, ownership, begun, gain };
}

describe('A tree', () => {
  it.each<[boolean, boolean | undefined, boolean]>([
    [true, undefined, true],
    [false, undefined, false],
    [false, true, true],
    [true, false, false],
  ])('whose shard is held: %j, and runs: %j, is here: %j', (holds, runs, isHere) => {
    const { ownership, state } = scene(runs === undefined ? {} : { runs });
    state.holds = holds;
    expect(ownership.shardOf(root)).toBe(ours);
    expect(ownership.isHere(root)).toBe(isHere);
    expect(ownership.shards()).toEqual(new Set(isHere ? [ours] : []));
  });
});

describe('A shard that was gained', () => {
  it('begins at once where all was seen', () => {
    const { state, begun, gain, clock } = scene();
    state.hasSeen = true;
    gain();
    expect([begun, clock.pending]).toEqual([['begun true'], 0]);
  });

  it('waits until all was seen, and is not here until then', async () => {
    const { state, begun, gain, clock, ownership } = scene();
    gain();
    await clock.advance(1_005);
    expect([begun, ownership.isHere(root), ownership.shards()]).toEqual([
      ...[[], false],
      new Set([ours]),
    ]);
    state.hasSeen = true;
    await clock.advance(4);
    expect(begun).toEqual([]);
    await clock.advance(1);
    expect([begun, clock.pending]).toEqual([['begun true'], 0]);
  });

  it('waits no longer than five seconds, whatever the time of day does', async () => {
    const { begun, gain, clock } = scene();
    gain();
    await clock.advance(1_000);
    clock.jump(3_600_000);
    await clock.advance(3_990);
    expect(begun).toEqual([]);
    await clock.advance(10);
    expect(begun).toEqual(['begun true']);
  });

  it('waits for what decides to be read anew, for as long as that takes', async () => {
    const { state, asked, reads, begun, gain, clock } = scene({ isRefreshing: true });
    state.hasSeen = true;
    state.hasRead = false;
    gain();
    expect(asked).toEqual([decidingKinds()]);
    await clock.advance(60_000);
    reads[0]?.();
    await clock.advance(60_000);
    expect(begun).toEqual([]);
    state.hasRead = true;
    await clock.advance(10);
    expect([begun, clock.pending]).toEqual([['begun true'], 0]);
  });

  it.each(['lost', 'stop'] as const)('and then %s never begins', async (how) => {
    for (const isRefreshing of [true, false]) {
      const { state, reads, begun, gain, clock, ownership } = scene({ isRefreshing });
      gain();
      if (how === 'lost') ownership.lost(ours);
      else ownership.stop();
      expect([ownership.isHere(root), clock.pending]).toEqual([true, 0]);
      state.hasSeen = true;
      reads[0]?.();
      await clock.advance(60_000);
      expect(begun).toEqual([]);
    }
  });

  it('and gained again meanwhile begins once', async () => {
    for (const isRefreshing of [true, false]) {
      const { state, reads, begun, gain, clock } = scene({ isRefreshing });
      gain('first');
      gain('second');
      state.hasSeen = true;
      for (const read of reads) read();
      await clock.advance(60_000);
      expect([begun, clock.pending]).toEqual([['second true'], 0]);
    }
  });
});
