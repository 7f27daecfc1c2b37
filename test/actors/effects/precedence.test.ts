// What nobody waits for yields to `first` writes: one at a time while these go, and a moment
// after.
import { describe, expect, it } from 'vitest';
import { Precedence } from '#actors/effects/precedence.ts';
import { defaultLimits } from '#actors/limits.ts';
import { Deadlines } from '#actors/run/deadlines.ts';
import type { WriteIntent } from '#actors/effects/work.ts';
import { makePod, patch, runner, setActor } from '../fixtures/runner.ts';

const behind = (name: string): WriteIntent => ({ ...makePod(name), urgency: 'behind' }) as never;

/** By itself, with how often writes were called that it had turned away. */
function resuming() {
  const { clock } = bench();
  const precedence = new Precedence({
    clock,
    deadlines: new Deadlines(clock),
    limits: defaultLimits,
  });
  let count = 0;
  precedence.onResume(() => count++);
  return { clock, precedence, resumed: () => count };
}

function bench() {
  const stage = runner();
  const { cluster, given, submit } = stage;
  cluster.latencyMs = 10;
  let count = 0;
  const first = (): void => {
    const clique = given('PodClique', `c${++count}`);
    submit(setActor(), { ...patch(clique, 'PodClique', { a: 'b' }), urgency: 'first' } as never);
  };
  const sentBehind = (): number => stage.sent().filter((one) => one.startsWith('create')).length;
  return { ...stage, first, sentBehind };
}

describe('A write that nobody waits for', () => {
  it('goes like any other where no first write does', async () => {
    const { clock, submit, sentBehind } = bench();
    submit(setActor(), behind('a'), behind('b'), behind('c'));
    await clock.advance(10);
    expect(sentBehind()).toBe(3);
  });

  it('goes one at a time while first writes go, and all at once a moment after the last', async () => {
    const { clock, first, submit, sentBehind } = bench();
    const all = Array.from({ length: 60 }, (_, n) => behind(`p${n}`));
    first();
    submit(setActor(), ...all);
    for (let n = 0; n < 500; n++) {
      first();
      await clock.advance(10);
    }
    expect(sentBehind()).toBeGreaterThan(3);
    expect(sentBehind()).toBeLessThan(8);
    // The last first write lands after 10 ms, and so does each half of the others.
    await clock.advance(10 + defaultLimits.yieldMs + 30);
    expect(sentBehind()).toBe(60);
  });

  it('comes closer to the next where first writes go on for longer than a burst', async () => {
    const { clock, precedence } = resuming();
    const { yieldDistanceMs, yieldPatienceMs, yieldHalvingMs } = defaultLimits;
    precedence.sent('first');
    const sentIn = async (ms: number): Promise<number> => {
      let count = 0;
      for (const until = clock.steady() + ms; clock.steady() < until; await clock.advance(5)) {
        if (!precedence.maySend('behind')) continue;
        precedence.sent('behind');
        precedence.landed('behind');
        count++;
      }
      return count;
    };
    expect(await sentIn(yieldPatienceMs)).toBe(yieldPatienceMs / yieldDistanceMs);
    await clock.advance(2 * yieldHalvingMs);
    const most = 2 * (yieldHalvingMs / yieldDistanceMs) * 4;
    const count = await sentIn(yieldHalvingMs);
    expect(count).toBeGreaterThan(most / 2);
    expect(count).toBeLessThan(most);
    precedence.landed('first');
    await clock.advance(defaultLimits.yieldMs);
    precedence.sent('first');
    expect(await sentIn(10 * yieldDistanceMs)).toBe(10);
  });

  it('comes before what is only told, also where nothing is first', async () => {
    const { clock, submit, sent } = bench();
    const all = Array.from({ length: 200 }, (_, n) => behind(`p${n}`));
    const told = { ...makePod('told'), urgency: 'last' } as never;
    const later = { ...makePod('later'), urgency: 'last' } as never;
    submit(setActor(), ...all, told, later);
    await clock.advance(20);
    expect(sent()).not.toContain('create later');
    await clock.advance(defaultLimits.yieldDistanceMs + 1_000);
    expect(sent().indexOf('create later')).toBeGreaterThan(sent().indexOf('create p199'));
  });

  it('comes before what is only told, also where it begins late or pauses', async () => {
    const { clock, precedence } = resuming();
    const { yieldMs, lastYieldMs } = defaultLimits;
    for (const rank of ['first', 'behind'] as const) {
      precedence.sent('last');
      precedence.landed('last');
      precedence.sent(rank);
      precedence.landed(rank);
      await clock.advance(yieldMs);
      expect(precedence.maySend('behind')).toBe(true);
      expect(precedence.maySend('last')).toBe(false);
      await clock.advance(lastYieldMs - yieldMs - 1);
      expect(precedence.maySend('last')).toBe(false);
      await clock.advance(1);
      expect(precedence.maySend('last')).toBe(true);
    }
  });

  it('comes before progress, of which one at a time is told meanwhile', async () => {
    const { clock, precedence } = resuming();
    precedence.sent('behind');
    expect(precedence.maySend('lazy')).toBe(true);
    precedence.sent('lazy');
    precedence.landed('lazy');
    await clock.advance(defaultLimits.yieldDistanceMs - 1);
    expect(precedence.maySend('lazy')).toBe(false);
    await clock.advance(1);
    expect(precedence.maySend('lazy')).toBe(true);
    precedence.sent('lazy');
    precedence.landed('lazy');
    precedence.landed('behind');
    await clock.advance(defaultLimits.yieldMs);
    expect(precedence.maySend('lazy')).toBe(true);
  });

  it('presses nobody, where a first one does', () => {
    const { precedence } = resuming();
    precedence.sent('behind');
    precedence.sent('lazy');
    expect(precedence.isPressed).toBe(false);
    precedence.sent('first');
    expect(precedence.isPressed).toBe(true);
  });

  it('never holds up another write', async () => {
    const { clock, first, submit, sent } = bench();
    first();
    submit(setActor(), behind('a'), behind('b'), makePod('c'));
    await clock.advance(10);
    expect(sent()).toContain('create c');
    expect(sent()).not.toContain('create b');
  });

  it('that was not turned away is called by no other that lands', async () => {
    const { clock, precedence, resumed } = resuming();
    for (const rank of ['behind', 'lazy', 'last'] as const) {
      expect(precedence.maySend(rank)).toBe(true);
      precedence.sent(rank);
      precedence.landed(rank);
    }
    await clock.advance(10_000);
    expect(resumed()).toBe(0);
  });

  it('goes after one of somebody else that it has waited for', async () => {
    const { clock, precedence, resumed } = resuming();
    precedence.sent('first');
    precedence.sent('behind');
    expect(precedence.maySend('behind')).toBe(false);
    await clock.advance(defaultLimits.yieldDistanceMs);
    expect(resumed()).toBe(0);
    precedence.landed('behind');
    await clock.advance(1);
    expect(resumed()).toBe(1);
    expect(precedence.maySend('behind')).toBe(true);
    // Nobody was turned away since.
    precedence.sent('behind');
    precedence.landed('behind');
    await clock.advance(10_000);
    expect(resumed()).toBe(1);
  });
});
