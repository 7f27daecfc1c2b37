// One object's writes: what is dropped, what overtakes, who is touched again and when.
import { describe, expect, it } from 'vitest';
import type { WriteOutcome } from '#actors/ports.ts';
import {
  cliqueActor,
  makePod,
  patch,
  remove,
  runner,
  setActor,
  status,
} from '../fixtures/runner.ts';

describe('An object with a write in flight', () => {
  it('takes no second one; the actor that was turned away is touched when it is free', async () => {
    const { clock, cluster, given, submit, heard, sent } = runner();
    const set = given('PodCliqueSet', 'demo');
    const [a, b] = [setActor(), cliqueActor('demo-0')];
    submit(a, patch(set, 'PodCliqueSet', { x: '1' }));
    submit(b, patch(set, 'PodCliqueSet', { y: '1' }));
    expect(cluster.inFlight).toBe(1);
    await clock.advance(10);
    expect(sent()).toEqual(['patch demo']);
    expect(heard).toEqual(['seen demo', 'demo done patch demo', 'demo-0 retry demo']);
  });

  it('ignores a status that says what is being written', async () => {
    const { clock, given, submit, heard } = runner();
    const set = given('PodCliqueSet', 'demo');
    submit(setActor(), status(set, 'PodCliqueSet', 1));
    submit(setActor(), status(set, 'PodCliqueSet', 1));
    await clock.advance(10);
    expect(heard).toEqual(['seen demo', 'demo done status demo']);
  });

  it('has its actor touched when one that has ended was writing the same and failed', async () => {
    const { clock, cluster, given, submit, heard } = runner();
    const set = given('PodCliqueSet', 'demo');
    const [before, after] = [setActor(), setActor()];
    cluster.fault = () => ({ type: 'refuse', code: 'NOT_OWNER' });
    submit(before, status(set, 'PodCliqueSet', 1));
    before.mode = 'ended';
    submit(after, status(set, 'PodCliqueSet', 1));
    await clock.advance(1_000);
    const failed = 'demo failed status demo NOT_OWNER later';
    // The one that has ended, and the other.
    expect(heard).toEqual([failed, 'demo retry demo', 'demo retry demo']);
  });

  it('has its actor touched when another status was wanted meanwhile', async () => {
    const { clock, given, submit, heard } = runner();
    const set = given('PodCliqueSet', 'demo');
    const actor = setActor();
    submit(actor, status(set, 'PodCliqueSet', 1));
    submit(actor, status(set, 'PodCliqueSet', 2));
    await clock.advance(10);
    expect(heard).toEqual(['seen demo', 'demo done status demo', 'demo retry demo']);
  });
});

describe('A parked actor', () => {
  it('is reminded where it may try again or need not any more, and of no result', async () => {
    const { clock, cluster, given, submit, heard, reminded } = runner({ repeatMs: 5_000 });
    const set = given('PodCliqueSet', 'demo');
    let fails = true;
    cluster.fault = () => (fails ? { type: 'refuse', code: 'SERVER_ERROR' } : undefined);
    submit(setActor(), patch(set, 'PodCliqueSet', { x: '1' }));
    submit(cliqueActor('demo-0'), patch(set, 'PodCliqueSet', { y: '1' }));
    await clock.advance(10);
    expect(reminded).toEqual([]);
    fails = false;
    await clock.advance(4_000);
    const again = ['demo retry demo', 'demo-0 retry demo'];
    expect(reminded).toEqual(again);
    submit(cliqueActor('demo-0'), patch(set, 'PodCliqueSet', { y: '1' }));
    submit(cliqueActor('demo-1'), patch(set, 'PodCliqueSet', { z: '1' }));
    await clock.advance(30_000);
    const over = ['demo-1 retry demo', 'demo done patch demo'];
    expect(reminded).toEqual([...again, ...over]);
    expect(heard.filter((said) => !reminded.includes(said))).toEqual([
      'demo failed patch demo SERVER_ERROR later',
      'seen demo',
      'demo-0 done patch demo',
    ]);
  });
});

describe('An object that backs off', () => {
  it('is free for the others when the actor whose write failed has ended', async () => {
    const { clock, cluster, effects, given, submit, heard } = runner();
    cluster.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    const clique = given('PodClique', 'demo-0');
    const [parent, child] = [setActor(), cliqueActor('demo-0')];
    for (let failures = 0; failures < 10; failures++) {
      submit(child, status(clique, 'PodClique', failures));
      await clock.advance(31_000);
    }
    submit(child, status(clique, 'PodClique', 10));
    await clock.advance(10);
    submit(parent, patch(clique, 'PodClique', { x: '1' }));
    heard.length = 0;
    child.mode = 'ended';
    effects.lift(child);
    expect(heard).toContain('demo retry demo-0');
  });

  it('is not free before the time that the server named, whoever has ended', async () => {
    const { clock, cluster, effects, given, submit, heard } = runner();
    cluster.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR', retryAfterMs: 5_000 });
    const clique = given('PodClique', 'demo-0');
    const [parent, child] = [setActor(), cliqueActor('demo-0')];
    submit(child, status(clique, 'PodClique', 1));
    await clock.advance(10);
    submit(parent, patch(clique, 'PodClique', { x: '1' }));
    heard.length = 0;
    child.mode = 'ended';
    effects.lift(child);
    await clock.advance(4_900);
    expect(heard).toEqual([]);
    await clock.advance(200);
    expect(heard).toContain('demo retry demo-0');
  });

  it('has its error ended when its actor does not try again', async () => {
    const { clock, cluster, submit, heard } = runner();
    cluster.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    submit(setActor(), makePod('p'));
    await clock.advance(1_000);
    expect(heard).toEqual(['demo failed create p SERVER_ERROR later', 'demo retry p']);
    await clock.advance(2_000);
    expect(heard.slice(2)).toEqual(['demo done create p']);
  });

  it('has it ended also where another actor has a status of the object waiting', async () => {
    const { clock, cluster, given, submit, heard } = runner();
    const clique = given('PodClique', 'demo-0');
    cluster.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    submit(setActor(), patch(clique, 'PodClique', { x: '1' }));
    await clock.advance(1_500);
    cluster.fault = () => undefined;
    submit(cliqueActor('demo-0'), status(clique, 'PodClique', 1, 'lazy'));
    await clock.advance(3_000);
    expect(heard).toContain('demo done patch demo-0');
  });

  it('has it ended also where the write of another actor fails meanwhile', async () => {
    const { clock, cluster, given, submit, heard } = runner();
    const clique = given('PodClique', 'demo-0');
    cluster.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    submit(setActor(), patch(clique, 'PodClique', { x: '1' }));
    await clock.advance(1_500);
    submit(cliqueActor('demo-0'), status(clique, 'PodClique', 1));
    await clock.advance(5_000);
    expect(heard).toContain('demo done patch demo-0');
    expect(heard).toContain('demo-0 done status demo-0');
  });

  it('drops what is wanted, and touches all who wanted at the end of the pause', async () => {
    const { clock, cluster, submit, heard, sent } = runner();
    cluster.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    submit(setActor(), makePod('p'));
    await clock.advance(10);
    cluster.fault = () => undefined;
    submit(setActor('other'), makePod('p'));
    await clock.advance(10);
    expect(sent()).toEqual(['create p']);
    expect(heard).toEqual(['demo failed create p SERVER_ERROR later']);
    await clock.advance(300);
    expect(heard.slice(1)).toEqual(['demo retry p', 'other retry p']);
  });
});

describe('A write that was not sent yet', () => {
  const held = { writesInFlight: 1, writesInFlightPerKind: 1 };

  it('is replaced by a newer one of the same kind', async () => {
    const { clock, given, submit, cluster, sent } = runner(held);
    const set = given('PodCliqueSet', 'demo');
    submit(setActor(), makePod('first'));
    submit(setActor(), status(set, 'PodCliqueSet', 1));
    submit(setActor(), status(set, 'PodCliqueSet', 2));
    await clock.advance(10);
    expect(sent()).toEqual(['create first', 'status demo']);
    expect(cluster.list('PodCliqueSet')[0]?.['status']).toEqual({ ready: 2 });
  });

  it('gives way to a heavier one, and its actor is touched after that', async () => {
    const { clock, given, submit, heard, sent } = runner(held);
    const set = given('PodCliqueSet', 'demo');
    submit(setActor('a'), makePod('first'));
    submit(setActor('b'), status(set, 'PodCliqueSet', 1));
    submit(setActor('c'), remove(set, 'PodCliqueSet'));
    submit(setActor('d'), patch(set, 'PodCliqueSet', { x: '1' }));
    await clock.advance(10);
    expect(sent()).toEqual(['create first', 'delete demo']);
    const told = ['gone demo', 'c done delete demo', 'b retry demo', 'd retry demo'];
    expect(heard.slice(2)).toEqual(told);
  });

  it('and creates what is there lets others make room for it', async () => {
    const { clock, given, submit, heard, sent } = runner(held);
    const pod = given('Pod', 'second');
    submit(setActor('a'), makePod('first'));
    submit(setActor('b'), makePod('second'));
    submit(setActor('c'), patch(pod, 'Pod', { x: '1' }));
    submit(setActor('b'), makePod('second'));
    await clock.advance(10);
    expect(sent()).toEqual(['create first', 'patch second']);
    expect(heard).toContain('b retry second');
  });

  it.each(['status first', 'patch first'])(
    'and was refused before lets a status go that may tell of it (%s)',
    async (order) => {
      const { clock, cluster, given, submit, heard, sent } = runner(held);
      const set = given('PodCliqueSet', 'demo');
      const [a, b] = [setActor('a'), setActor('b')];
      cluster.fault = () => ({ type: 'refuse', code: 'FORBIDDEN' });
      submit(a, patch(set, 'PodCliqueSet', { x: '1' }));
      await clock.advance(2_500);
      expect(heard).toEqual(['a failed patch demo FORBIDDEN later', 'a retry demo']);
      cluster.fault = () => undefined;
      submit(setActor('c'), makePod('first'));
      const told = () => submit(b, status(set, 'PodCliqueSet', 1));
      if (order === 'status first') told();
      submit(a, patch(set, 'PodCliqueSet', { x: '1' }));
      if (order === 'patch first') told();
      await clock.advance(10);
      expect(sent().slice(1)).toEqual(['create first', 'status demo']);
      expect(heard.at(-1)).toBe('a retry demo');
    },
  );

  it('is not sent when its actor has ended', async () => {
    const { clock, submit, sent } = runner(held);
    const actor = setActor('a');
    submit(setActor('b'), makePod('first'));
    submit(actor, makePod('second'));
    actor.mode = 'ended';
    await clock.advance(10);
    expect(sent()).toEqual(['create first']);
  });

  it('and is a status is dropped when what it says has come true, or its object went', async () => {
    const { clock, given, submit, sent, cache, cluster, effects } = runner(held);
    const one = given('PodClique', 'one');
    const two = given('PodClique', 'two');
    submit(setActor(), makePod('first'));
    submit(cliqueActor('one'), status(one, 'PodClique', 1));
    submit(cliqueActor('two'), status(two, 'PodClique', 1));
    cluster.setStatus({ kind: 'PodClique', namespace: 'default', name: 'one' }, { ready: 1 });
    const now = cluster.get({ kind: 'PodClique', namespace: 'default', name: 'one' });
    if (now !== undefined) cache.see('PodClique', now);
    cache.gone({ kind: 'PodClique', namespace: 'default', name: 'two' }, two.metadata.uid ?? '');
    await clock.advance(10);
    expect(sent()).toEqual(['create first']);
    expect(effects.isIdle).toBe(true);
  });
});

describe('A reply that cannot be read', () => {
  it.each(['write', 'read'] as const)(
    '(%s) is reported and leaves nothing stuck',
    async (which) => {
      const { clock, cluster, submit, effects, telemetry } = runner();
      const broken: WriteOutcome = { ok: true, object: JSON.parse('{}') };
      if (which === 'read') cluster.fault = () => ({ type: 'refuse', code: 'ALREADY_EXISTS' });
      else cluster.write = () => Promise.resolve(broken);
      cluster.read = () => Promise.resolve(broken);
      submit(setActor(), makePod('p'));
      await clock.advance(10);
      expect(effects.isIdle).toBe(true);
      expect(telemetry.calls.log.length).toBeGreaterThan(0);
      await clock.advance(200_000);
      expect(clock.pending).toBe(0);
    },
  );
});

describe('The writes of one object', () => {
  it('is thrown away when it holds nothing', async () => {
    const { clock, cluster, submit, effects, heard } = runner();
    cluster.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    submit(setActor(), makePod('p'));
    await clock.advance(500);
    expect(heard).toContain('demo retry p');
    await clock.advance(120_000);
    expect(effects.isIdle).toBe(true);
    expect(clock.pending).toBe(0);
    // Nobody tried again for long: the next failure counts as the first.
    submit(setActor(), makePod('p'));
    await clock.advance(250);
    expect(heard.filter((each) => each === 'demo retry p')).toHaveLength(2);
  });
});
