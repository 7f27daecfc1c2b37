// Actors that need the same list at the same time share one, and what nobody waits for is aborted.
import { describe, expect, it } from 'vitest';
import { pods, scene } from '../fixtures/lists.ts';
import { setActor } from '../fixtures/runner.ts';

describe('A list that many actors ask for', () => {
  const many = Array.from({ length: 500 }, (_, index) => setActor(`set-${index}`));

  it('is sent twice: for the first, and once for all who asked before that was over', async () => {
    const { clock, heard, ask, lists, actorLists, pod } = scene();
    pod('one');
    for (const actor of many) ask(pods(), actor);
    expect(lists()).toBe(1);
    await clock.advance(10);
    expect(lists()).toBe(2);
    const told = many.map(({ key }) => `${key.name} pods`);
    expect(heard).toEqual(['seen one', told[0], 'seen one', ...told.slice(1)]);
    expect(actorLists.isIdle).toBe(true);
  });

  it('is another one for who asks while it is in flight', async () => {
    const { clock, heard, ask, pod } = scene();
    ask();
    await clock.advance(1);
    pod('late');
    ask(pods(), setActor('next'));
    await clock.advance(10);
    expect(heard).toEqual(['demo pods', 'seen late', 'next pods']);
  });

  it('is another one where kind, labels or namespaces differ', async () => {
    const { clock, ask, lists } = scene();
    ask();
    ask({ ...pods('kind'), kind: 'Service' });
    ask(pods('labels', { app: 'b' }));
    ask({ ...pods('one'), namespaces: ['one'] });
    ask({ ...pods('two'), namespaces: ['one', 'two'] });
    ask({ ...pods('again'), namespaces: ['one'] });
    expect(lists()).toBe(5);
    await clock.advance(10);
    expect(lists()).toBe(6);
  });

  it('fails for each of them, who then pause and ask as those who are alone do', async () => {
    const { clock, cluster, heard, ask, lists } = scene();
    const three = many.slice(0, 3);
    for (const actor of three) ask(pods(), actor);
    cluster.lists.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    await clock.advance(5);
    expect(heard).toEqual(['set-0 pods', 'set-1 pods SERVER_ERROR', 'set-2 pods SERVER_ERROR']);
    cluster.lists.fault = () => undefined;
    for (const actor of three.slice(1)) ask(pods(), actor);
    await clock.advance(1_000);
    expect(heard.slice(3).toSorted()).toEqual(['set-1 may ask', 'set-2 may ask']);
    for (const actor of three.slice(1)) ask(pods(), actor);
    await clock.advance(10);
    expect(heard.slice(5)).toEqual(['set-1 pods', 'set-2 pods']);
    expect(lists()).toBe(4);
  });

  it('is sent where one of them still has the lease', async () => {
    const { clock, heard, held, ask, lists } = scene({ listsInFlight: 1 });
    ask(pods('other', { app: 'b' }));
    ask();
    held.epoch = 2;
    ask(pods(), setActor('next'));
    await clock.advance(10);
    expect(heard).toEqual(['demo other', 'demo pods', 'next pods']);
    expect(lists()).toBe(2);
  });

  it('keeps its turn whoever joins, and is left by who wants something else', async () => {
    const { clock, heard, ask, lists } = scene({ listsInFlight: 1 });
    const next = setActor('next');
    ask(pods('first', { app: '1' }));
    ask(pods('mine', { app: '2' }));
    ask(pods('yours', { app: '3' }), next);
    ask(pods('mine', { app: '2' }));
    ask(pods('also', { app: '2' }), next);
    ask(pods('yours', { app: '4' }), next);
    await clock.advance(20);
    expect(heard).toEqual(['demo first', 'demo mine', 'next also', 'next yours']);
    expect(lists()).toBe(3);
  });
});

describe('A list that nobody waits for any more', () => {
  it('is aborted and makes room at once, but not while one actor waits', async () => {
    const { clock, cluster, heard, actorLists, demo, ask, lists } = scene({ listsInFlight: 1 });
    cluster.lists.fault = () => ({ type: 'delay', ms: 5_000 });
    const next = setActor('next');
    ask();
    ask(pods('both', { app: 'b' }));
    ask(pods('both', { app: 'b' }), next);
    actorLists.forget(demo);
    expect(lists()).toBe(2);
    ask(pods(), demo);
    actorLists.forget(demo);
    await clock.advance(4_000);
    expect([heard, cluster.lists.mostInFlight]).toEqual([[], 1]);
    await clock.advance(2_000);
    expect(heard).toEqual(['next both']);
    expect([lists(), actorLists.isIdle, clock.pending]).toEqual([2, true, 0]);
  });

  it('still says how long the server does not want to be asked for it', async () => {
    const { clock, cluster, heard, actorLists, demo, ask } = scene();
    cluster.lists.answersAborted = true;
    cluster.lists.fault = () => ({ type: 'refuse', code: 'THROTTLED', retryAfterMs: 7_000 });
    ask();
    actorLists.forget(demo);
    await clock.advance(10);
    cluster.lists.fault = () => undefined;
    ask(pods(), setActor('next'));
    await clock.advance(6_900);
    expect(heard).toEqual([]);
    await clock.advance(200);
    expect(heard).toEqual(['next pods']);
  });
});
