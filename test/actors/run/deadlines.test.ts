// Deadlines: one timer for many, clock jumps.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Deadlines } from '#actors/run/deadlines.ts';
import { at } from '#machines/kubernetes/json.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { setKey } from '../fixtures/facts.ts';
import { stage } from '../fixtures/stage.ts';

function bench() {
  const clock = new VirtualClock(1_000_000);
  const deadlines = new Deadlines(clock);
  const fired: string[] = [];
  const after = (name: string, ms: number) => deadlines.after(name, ms, () => fired.push(name));
  return { clock, deadlines, fired, after };
}

describe('Deadlines', () => {
  it('fire in order of time, over one timer', async () => {
    const { clock, fired, after } = bench();
    for (const ms of [500, 100, 300, 200, 400]) after(`at ${ms}`, ms);
    expect(clock.pending).toBe(1);
    await clock.advance(350);
    expect(fired).toEqual(['at 100', 'at 200', 'at 300']);
    await clock.advance(200);
    expect(fired).toHaveLength(5);
    expect(clock.pending).toBe(0);
  });

  it('are replaced and cleared by name', async () => {
    const { clock, deadlines, fired, after } = bench();
    after('a', 100);
    after('b', 100);
    after('a', 300);
    deadlines.clear('b');
    await clock.advance(200);
    expect(fired).toEqual([]);
    await clock.advance(200);
    expect(fired).toEqual(['a']);
  });

  it('leave no timer behind when the last one is cleared', async () => {
    const { clock, deadlines, fired, after } = bench();
    after('a', 3_600_000);
    deadlines.clear('a');
    expect(clock.pending).toBe(0);
    after('b', 100);
    await clock.advance(100);
    expect(fired).toEqual(['b']);
  });

  it('whose timer fires early, as the clock went forward, wait on and fire once', async () => {
    const { clock, fired, after } = bench();
    after('a', 100);
    after('b', 200);
    clock.jump(3_600_000);
    await clock.drain();
    expect(fired).toEqual([]);
    await clock.advance(200);
    expect(fired).toEqual(['a', 'b']);
    await clock.advance(3_600_000);
    expect(fired).toEqual(['a', 'b']);
  });

  it('are not shorter when the clock goes forward, nor longer when it goes back', async () => {
    const clock = new VirtualClock(1_000_000);
    let offsetMs = 0;
    const jumping = {
      now: () => clock.now() + offsetMs,
      steady: () => clock.now() - 1_000_000,
      at: (at: number, run: () => void) => clock.at(at - offsetMs, run),
      soon: (run: () => void) => clock.soon(run),
    };
    const deadlines = new Deadlines(jumping);
    const fired: string[] = [];
    deadlines.after('pause', 1_000, () => fired.push('pause'));
    for (const jump of [3_600_000, -7_200_000]) {
      await clock.advance(300);
      offsetMs += jump;
      deadlines.after('other', 1, () => {});
    }
    await clock.advance(390);
    expect(fired).toEqual([]);
    await clock.advance(20);
    expect(fired).toEqual(['pause']);
  });

  it('that are stopped are forgotten, and others may be set', async () => {
    const { clock, deadlines, fired, after } = bench();
    for (const name of ['a', 'b']) after(name, 100);
    deadlines.stop();
    expect([deadlines.size, clock.pending]).toEqual([0, 0]);
    after('c', 200);
    expect([deadlines.size, clock.pending]).toEqual([1, 1]);
    await clock.advance(1_000);
    expect([fired, deadlines.size]).toEqual([['c'], 0]);
  });

  it('may be many, and cleared ones do not pile up', async () => {
    const { clock, deadlines, fired, after } = bench();
    for (let n = 0; n < 5_000; n++) {
      after(`n${n}`, 1_000 + n);
      if (n % 10 !== 0) deadlines.clear(`n${n}`);
    }
    expect(deadlines.size).toBe(500);
    await clock.advance(10_000);
    expect(fired).toHaveLength(500);
    expect(deadlines.size).toBe(0);
  });

  it('arm the clock anew for an earlier one alone', () => {
    const { clock, after } = bench();
    let armed = 0;
    const at = clock.at.bind(clock);
    clock.at = (time, run) => {
      armed++;
      return at(time, run);
    };
    for (const ms of [500, 500, 700, 400, 900, 400]) after(`at ${ms}`, ms);
    expect(armed).toBe(2);
  });

  it('fire as a plain list of them would, however they are set, replaced and cleared', async () => {
    const name = fc.integer({ min: 0, max: 199 }).map((n) => `n${n}`);
    const move = fc.oneof(
      { weight: 6, arbitrary: fc.record({ set: name, ms: fc.integer({ min: 0, max: 400 }) }) },
      { weight: 3, arbitrary: fc.record({ clear: name }) },
      { weight: 1, arbitrary: fc.record({ pass: fc.integer({ min: 1, max: 90 }) }) },
    );
    const moves = fc.array(move, { minLength: 100, maxLength: 500 });
    await fc.assert(
      fc.asyncProperty(moves, async (all) => {
        const { clock, deadlines } = bench();
        const plain = new Map<string, number>();
        const fired: string[] = [];
        const due: string[] = [];
        for (const one of all) {
          if ('set' in one) {
            const run = () => fired.push(`${one.set} at ${clock.now()}`);
            expect(deadlines.after(one.set, one.ms, run)).toBe(clock.now() + one.ms);
            plain.set(one.set, clock.now() + one.ms);
          } else if ('clear' in one) {
            deadlines.clear(one.clear);
            plain.delete(one.clear);
          } else {
            await clock.advance(one.pass);
            const over = [...plain].filter(([, at]) => at <= clock.now());
            for (const [each] of over) plain.delete(each);
            due.push(...over.map(([each, at]) => `${each} at ${at}`));
          }
          expect(deadlines.size).toBe(plain.size);
        }
        expect(fired.toSorted()).toEqual(due.toSorted());
        const times = fired.map((each) => Number(each.split(' ').at(-1)));
        expect(times).toEqual(times.toSorted((a, b) => a - b));
        expect(clock.pending).toBe(plain.size > 0 ? 1 : 0);
      }),
      { numRuns: 30 },
    );
  });

  it('that are set while others fire are kept', async () => {
    const { clock, deadlines, fired } = bench();
    const again = (): void => {
      if (fired.push('tick') < 3) deadlines.after('tick', 10, again);
    };
    deadlines.after('tick', 10, again);
    await clock.advance(100);
    expect(fired).toHaveLength(3);
  });
});

describe('What an actor waits for', () => {
  it('has it reconciled at its time, once', async () => {
    const world = stage();
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0, poison: 'wake' } });
    await world.clock.advance(4_900);
    const before = Number(at(await world.view(setKey('demo')), 'state', 'reconciles'));
    await world.clock.advance(200);
    const after = await world.view(setKey('demo'));
    expect(after).toMatchObject({ state: { reconciles: before + 1 } });
    expect(Number(after['wakesAt']) - world.clock.now()).toBeGreaterThan(4_800);
  });

  it('does not outlive a crash or the end of its actor', async () => {
    const world = stage();
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0, poison: 'wake' } });
    await world.reconciled();
    await world.system.ask({ about: setKey('demo'), question: 'park', payload: {} });
    await world.reconciled();
    expect(await world.view(setKey('demo'))).toMatchObject({ wakesAt: null });
    world.cluster.delete({ kind: 'PodCliqueSet', namespace: 'default', name: 'demo' });
    await world.reconciled();
    world.cluster.delete({ kind: 'PodCliqueSet', namespace: 'default', name: 'demo' });
    await world.clock.advance(200_000);
    expect(world.clock.pending).toBe(0);
  });
});
