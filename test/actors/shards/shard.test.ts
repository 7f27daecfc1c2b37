// Shards: the hash is a contract between processes, and spreads trees evenly.
import { describe, expect, it } from 'vitest';
import { hash32, shardOf, soleOwner } from '#actors/shards/shard.ts';
import { setKey } from '../fixtures/facts.ts';

describe('The shard of a tree', () => {
  it('never changes from one version to the next', () => {
    expect(hash32('')).toBe(0x811c9dc5);
    expect(hash32('a')).toBe(0xe40c292c);
    expect(['demo', 'training', 'a.b'].map((name) => shardOf(setKey(name), 16))).toEqual([
      shardOf(setKey('demo'), 16),
      hash32('podcliqueset/default/training') % 16,
      hash32('podcliqueset/default/a.b') % 16,
    ]);
  });

  it('is spread evenly over many names', () => {
    const counts = Array.from({ length: 16 }, () => 0);
    for (let n = 0; n < 16_000; n++) {
      const shard = shardOf(setKey(`set-${n}`), 16);
      counts[shard] = (counts[shard] ?? 0) + 1;
    }
    expect(Math.min(...counts)).toBeGreaterThan(700);
    expect(Math.max(...counts)).toBeLessThan(1_300);
  });

  it('is always held by the only process', () => {
    const lease = soleOwner(4);
    expect([lease.shards, lease.holds(3), lease.epoch(0)]).toEqual([4, true, 1]);
  });
});
