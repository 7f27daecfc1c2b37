// When batches come: soon while there is little to say, later where much goes to many.
import { describe, expect, it } from 'vitest';
import { Feed } from '#src/inspector/server/feed.ts';
import {
  batchMs,
  longestBatchMs,
  sentBytesPerSecond,
  sentToEachMs,
} from '#src/inspector/server/limits.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { clique, FakeActors } from '../served.ts';

/** When batches came, in milliseconds, while a row changes every 10 ms and each batch goes to so
 *  many viewers as so many bytes. */
async function batchesOf(bytes: number, forMs: number, writes = 1): Promise<readonly number[]> {
  const clock = new VirtualClock();
  const begun = clock.now();
  const actors = new FakeActors(clock);
  const came: number[] = [];
  const end = new Feed(actors, clock).follow(() => {
    came.push(clock.now() - begun);
    return { writes, bytes };
  });
  for (let ms = 0; ms < forMs; ms += 10) {
    actors.set(clique('a'), { mailbox: ms });
    await clock.advance(10);
  }
  end();
  return came;
}

const distances = (came: readonly number[]): readonly number[] =>
  came.slice(1).map((ms, at) => ms - (came[at] ?? 0));

describe('Batches', () => {
  it('come soon after a change while few bytes go to the viewers', async () => {
    for (const ms of distances(await batchesOf(1_000, 2_000))) {
      expect(ms).toBeLessThanOrEqual(batchMs + 10);
    }
  });

  it('keep the distance that what went to all viewers is worth', async () => {
    const all = distances(await batchesOf(sentBytesPerSecond * 0.7, 5_000));
    expect(all.length).toBeGreaterThan(5);
    for (const ms of all) expect(ms).toBe(700 + sentToEachMs);
  });

  it('come later the more viewers there are, whatever they carry', async () => {
    const all = distances(await batchesOf(1_000, 5_000, 20));
    expect(all.length).toBeGreaterThan(5);
    for (const ms of all) expect(ms).toBe(20 * sentToEachMs + 1);
  });

  it('come at last, whatever was sent', async () => {
    const all = distances(await batchesOf(sentBytesPerSecond * 60, 10_000));
    expect(all).toEqual([longestBatchMs, longestBatchMs, longestBatchMs, longestBatchMs]);
  });
});
