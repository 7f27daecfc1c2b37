// Which shards run here: what is told of each change, and what a hand-over waits for.
import { describe, expect, it } from 'vitest';
import { Holdings } from '#actors/shards/lease/holdings.ts';
import type { Versions } from '#actors/ports.ts';

function scene() {
  const holdings = new Holdings();
  const heard: string[] = [];
  const ends: ((written: Versions | undefined) => void)[] = [];
  const listen = (name: string): (() => void) =>
    holdings.onChange((shard, isHeld, written) => {
      const what = isHeld ? `true ${JSON.stringify(written)}` : 'false';
      heard.push(`${name} ${shard} ${what}`);
      return isHeld
        ? undefined
        : new Promise((resolve) => ends.push((versions) => resolve(versions ?? {})));
    });
  /** Of shard 7. */
  const state = () => [
    holdings.isOpen(7),
    holdings.isClosing(7),
    holdings.isMoving,
    holdings.epoch(7),
    holdings.size,
    holdings.changes,
  ];
  return { holdings, heard, ends, listen, state };
}

describe('A shard', () => {
  it('is open from when it is taken until it is lost, and all listeners hear of both', () => {
    const { holdings, heard, listen, state } = scene();
    expect(state()).toEqual([false, false, false, undefined, 0, 0]);
    listen('a');
    const stop = listen('b');
    holdings.open(7, 3, { Pod: '9' });
    expect(state()).toEqual([true, false, false, 3, 1, 1]);
    holdings.close(7);
    expect(state()).toEqual([false, false, false, undefined, 0, 2]);
    holdings.close(7);
    stop();
    holdings.open(7, 4, {});
    expect(heard).toEqual([
      ...['a 7 true {"Pod":"9"}', 'b 7 true {"Pod":"9"}', 'a 7 false', 'b 7 false'],
      'a 7 true {}',
    ]);
    expect(state()).toEqual([true, false, false, 4, 1, 3]);
  });

  it('closes while the writes of its actors end, and is still there until it is handed over', async () => {
    const { holdings, heard, ends, listen, state } = scene();
    for (const name of ['a', 'b']) listen(name);
    holdings.open(7, 3, {});
    const drained = holdings.drain(7);
    expect(state()).toEqual([false, true, true, 3, 1, 2]);
    expect(await holdings.drain(7)).toBeUndefined();
    ends[0]?.({ Pod: '9' });
    ends[1]?.({ PodGang: '4' });
    expect(await drained).toEqual({ Pod: '9', PodGang: '4' });
    holdings.close(8);
    expect(state()).toEqual([false, true, true, 3, 1, 2]);
    holdings.drained(7);
    expect(state()).toEqual([false, false, false, undefined, 0, 2]);
    expect(heard.slice(2)).toEqual(['a 7 false', 'b 7 false']);
  });

  it('that is lost while it closes is not told of again', async () => {
    const { holdings, heard, ends, listen, state } = scene();
    listen('a');
    holdings.open(7, 3, {});
    const drained = holdings.drain(7);
    holdings.closeAll();
    expect(state()).toEqual([false, false, false, undefined, 0, 2]);
    ends[0]?.(undefined);
    expect(await drained).toEqual({});
    holdings.open(7, 4, {});
    holdings.drained(7);
    expect(state()).toEqual([true, false, false, 4, 1, 3]);
    expect(heard).toEqual(['a 7 true {}', 'a 7 false', 'a 7 true {}']);
  });

  it('that is not held has nothing to hand over', async () => {
    const { holdings, heard, listen } = scene();
    listen('a');
    expect(await holdings.drain(7)).toBeUndefined();
    expect([heard, holdings.changes]).toEqual([[], 0]);
  });

  it('that a listener registered twice hears of is told twice, until one of them is gone', () => {
    const { holdings } = scene();
    let count = 0;
    const listener = () => void count++;
    const stop = holdings.onChange(listener);
    holdings.onChange(listener);
    holdings.open(7, 3, {});
    expect(count).toBe(2);
    stop();
    holdings.close(7);
    expect(count).toBe(3);
  });
});
