// An object that takes the place of another, its own or that of another name: how often it is
// created, and not before it is known what became of the other.
import { describe, expect, it } from 'vitest';
import type { WriteIntent } from '#actors/effects/work.ts';
import { makePod, runner, setActor } from '../fixtures/runner.ts';

const ref = { kind: 'Pod', namespace: 'default', name: 'p' } as const;

/** Creates and loses the pod for so long, as its actor would that wants it again at once. */
async function struggle(seconds: number) {
  const bench = runner();
  const { clock, cluster, submit, heard } = bench;
  const creates: number[] = [];
  const startedAt = clock.now();
  const actor = setActor();
  submit(actor, makePod('p'));
  while (clock.now() - startedAt < seconds * 1_000) {
    await clock.advance(20);
    if (cluster.get(ref) !== undefined) {
      creates.push(clock.now() - startedAt);
      cluster.delete(ref);
      heard.length = 0;
      submit(actor, makePod('p'));
    } else if (heard.some((line) => line === 'demo retry p')) {
      heard.length = 0;
      submit(actor, makePod('p'));
    }
  }
  return { ...bench, creates };
}

/** All pods of the test take the place of one another. */
const placed = (intent: WriteIntent): WriteIntent =>
  intent.type === 'createObject' ? { ...intent, place: 'p' } : intent;

describe('An object that goes as soon as it is created', () => {
  it('is created again at once the first time, then with pauses that grow to ten seconds', async () => {
    const { creates } = await struggle(300);
    const pauses = creates.slice(1).map((at, index) => at - (creates[index] ?? 0));
    expect(pauses[0]).toBeLessThan(100);
    expect(Math.min(...pauses.slice(7))).toBeGreaterThanOrEqual(10_000);
    expect(Math.max(...pauses)).toBeLessThan(12_100);
    expect(creates.length).toBeLessThan(300 / 10 + 8);
  });

  it('is the same object to us under a new name each time', async () => {
    const { clock, cluster, submit, heard } = runner();
    const actor = setActor();
    let creates = 0;
    const next = (): void => submit(actor, placed(makePod(`p-${creates}`)));
    next();
    for (const startedAt = clock.now(); clock.now() - startedAt < 300_000;) {
      await clock.advance(20);
      const there = cluster.list('Pod').length > creates;
      const isAsked = heard.some((line) => line.startsWith('demo retry p-'));
      if (there) creates++;
      if (!there && !isAsked) continue;
      heard.length = 0;
      next();
    }
    expect(creates).toBeGreaterThan(20);
    expect(creates).toBeLessThan(300 / 10 + 8);
  });

  it('is free at once for another owner', async () => {
    const { clock, cluster, submit } = await struggle(60);
    await clock.advance(5_000);
    submit(setActor('other'), makePod('p', 'another-uid'));
    await clock.advance(20);
    expect(cluster.get(ref)).toBeDefined();
  });

  it('is free at once when it held for a while', async () => {
    const { clock, cluster, submit } = await struggle(10);
    await clock.advance(20_000);
    submit(setActor(), makePod('p'));
    await clock.advance(45_000);
    submit(setActor(), makePod('q'));
    await clock.advance(20_000);
    submit(setActor(), makePod('r'));
    await clock.advance(20);
    cluster.delete(ref);
    submit(setActor(), makePod('p'));
    await clock.advance(20);
    expect(cluster.get(ref)).toBeDefined();
  });
});

describe('A pod in the place of one that is being created', () => {
  it('is not created before the answer is there', async () => {
    const { clock, cluster, heard, sent, submit } = runner();
    cluster.fault = ({ ref: { name } }) =>
      name === 'p-0' ? { type: 'delay', ms: 1_000 } : undefined;
    const actor = setActor();
    submit(actor, placed(makePod('p-0')));
    submit(actor, placed(makePod('p-1')));
    await clock.advance(900);
    expect([cluster.inFlight, ...sent(), ...heard]).toEqual([1]);
    await clock.advance(200);
    expect(heard).toEqual(['seen p-0', 'demo done create p-0', 'demo retry p-1']);
    submit(actor, placed(makePod('p-1')));
    await clock.advance(20);
    expect(sent()).toEqual(['create p-0', 'create p-1']);
  });

  it('waits also when both were wanted at once', async () => {
    const { clock, cluster, heard, submit } = runner();
    submit(setActor(), placed(makePod('p-0')), placed(makePod('p-1')));
    expect([cluster.inFlight, ...heard]).toEqual([1, 'demo retry p-1']);
    submit(setActor(), placed(makePod('p-1')));
    await clock.advance(20);
    expect(heard.slice(1)).toEqual(['seen p-0', 'demo done create p-0', 'demo retry p-1']);
  });

  it('may be created when the other create failed', async () => {
    const { clock, cluster, heard, submit } = runner();
    cluster.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    const actor = setActor();
    submit(actor, placed(makePod('p-0')));
    submit(actor, placed(makePod('p-1')));
    await clock.advance(20);
    expect(heard).toEqual(['demo failed create p-0 SERVER_ERROR later', 'demo retry p-1']);
    submit(actor, placed(makePod('p-1')));
    expect(cluster.inFlight).toBe(1);
  });

  it('is created at once for another owner', () => {
    const { cluster, submit } = runner();
    submit(setActor(), placed(makePod('p-0')));
    submit(setActor('other'), placed(makePod('p-1', 'another-uid')));
    expect(cluster.inFlight).toBe(2);
  });
});
