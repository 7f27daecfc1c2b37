// Lists that actors ask for: what they bring is observed first, one of a name is under way at a
// time, and who fails waits.
import { describe, expect, it } from 'vitest';
import { defaultLimits } from '#actors/limits.ts';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import { behaviours } from '../fixtures/behaviours.ts';
import { setKey } from '../fixtures/facts.ts';
import { pods, scene } from '../fixtures/lists.ts';
import { setActor } from '../fixtures/runner.ts';
import { stage } from '../fixtures/stage.ts';

describe('A list that an actor asks for', () => {
  it('brings what is there when it arrives, all of it before the actor hears', async () => {
    const { clock, heard, ask, pod } = scene();
    pod('one');
    pod('other', { app: 'b' });
    ask();
    pod('two');
    await clock.advance(10);
    expect(heard).toEqual(['seen one', 'seen two', 'demo pods']);
  });

  it('is one at a time for each name, and another one once that is over', async () => {
    const { clock, heard, ask, lists, pod } = scene();
    ask();
    ask(pods('pods', { app: 'b' }));
    ask(pods('others', { app: 'b' }));
    ask(pods(), setActor('next'));
    pod('b', { app: 'b' });
    await clock.advance(10);
    expect(heard).toEqual(['demo pods', 'seen b', 'demo others', 'next pods']);
    ask();
    await clock.advance(10);
    expect(lists()).toBe(4);
  });

  it('is sent for nobody before the server wants to be asked for it again', async () => {
    const { clock, cluster, heard, ask, lists, actorLists } = scene();
    cluster.lists.fault = () => ({ type: 'refuse', code: 'THROTTLED', retryAfterMs: 7_000 });
    ask();
    await clock.advance(10);
    cluster.lists.fault = () => undefined;
    ask(pods('again'));
    ask(pods(), setActor('next'));
    ask(pods('others', { app: 'b' }));
    await clock.advance(6_900);
    expect(heard).toEqual(['demo pods THROTTLED', 'demo others']);
    expect(lists()).toBe(2);
    expect(actorLists.isIdle).toBe(true);
    await clock.advance(200);
    expect(heard.slice(2)).toEqual(['demo again', 'next pods']);
  });

  it('is told of once where it fails, and sent again after a pause that grows', async () => {
    const { clock, cluster, heard, ask } = scene();
    const at: number[] = [];
    cluster.lists.fault = () => {
      at.push(clock.now());
      return { type: at.length % 2 === 0 ? 'refuse' : 'lose', code: 'SERVER_ERROR' };
    };
    ask();
    for (let ms = 0; ms < 120_000; ms += 20) {
      await clock.advance(20);
      ask();
    }
    expect(heard.slice(0, 4)).toEqual([
      'demo pods UNREACHABLE',
      'demo may ask',
      'demo pods SERVER_ERROR',
      'demo may ask',
    ]);
    const pauses = at.slice(1).map((each, index) => each - (at[index] ?? 0));
    expect(pauses[0]).toBeGreaterThanOrEqual(100);
    expect(pauses.slice(0, 4)).toEqual(pauses.slice(0, 4).toSorted((a, b) => a - b));
    expect(Math.max(...pauses)).toBeLessThanOrEqual(defaultLimits.retryMaxMs + 100);
    expect(at.length).toBeLessThan(40);
    cluster.lists.fault = () => undefined;
    await clock.advance(30_000);
    ask();
    await clock.advance(10);
    expect(heard.at(-1)).toBe('demo pods');
  });

  it('that fails pauses as at first where nobody has asked for long', async () => {
    const { clock, cluster, heard, ask } = scene();
    cluster.lists.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    const pause = async (): Promise<number> => {
      ask();
      await clock.advance(10);
      ask();
      const since = clock.now();
      while (heard.at(-1) !== 'demo may ask') await clock.advance(10);
      return clock.now() - since;
    };
    let longest = 0;
    for (let n = 0; n < 6; n++) longest = await pause();
    await clock.advance(defaultLimits.repeatMs);
    expect(await pause()).toBeLessThan(longest / 4);
  });

  it('is not sent again before the server allows it, nor where nobody asks', async () => {
    const { clock, cluster, heard, ask } = scene();
    const at: number[] = [];
    cluster.lists.fault = () => {
      at.push(clock.now());
      return { type: 'refuse', code: 'THROTTLED', retryAfterMs: 7_000 };
    };
    ask();
    await clock.advance(2_000);
    ask();
    await clock.advance(5_100);
    expect(heard).toEqual(['demo pods THROTTLED', 'demo may ask']);
    ask();
    await clock.advance(60_000);
    expect(at.map((each) => Math.floor((each - (at[0] ?? 0)) / 1_000))).toEqual([0, 7]);
    expect(heard).toHaveLength(3);
    expect(clock.pending).toBe(0);
  });

  it('is not sent where the lease is not held, or not the one under which it was asked for', async () => {
    const { clock, heard, held, ask, lists } = scene({ listsInFlight: 1 });
    held.isHeld = false;
    ask();
    await clock.advance(10);
    held.isHeld = true;
    ask(pods('first'));
    ask(pods('second'));
    held.epoch = 2;
    await clock.advance(10);
    expect(heard).toEqual(['demo pods NOT_OWNER', 'demo first', 'demo second NOT_OWNER']);
    expect(lists()).toBe(1);
  });

  it('is observed and told to nobody where its actor has ended; who asks anew has a new one', async () => {
    const { clock, cluster, heard, actorLists, demo, ask, lists, pod } = scene();
    cluster.lists.answersAborted = true;
    pod('one');
    ask();
    actorLists.forget(demo);
    ask();
    expect(actorLists.isIdle).toBe(false);
    await clock.advance(10);
    expect(heard).toEqual(['seen one', 'seen one', 'demo pods']);
    expect(lists()).toBe(2);
    expect(actorLists.isIdle).toBe(true);
  });

  it('waits where too many are under way, and is dropped with its actor', async () => {
    const { clock, heard, actorLists, demo, ask, lists } = scene({ listsInFlight: 2 });
    for (const app of ['a', 'b', 'c']) ask(pods(app, { app }));
    const next = setActor('next');
    ask(pods(), next);
    expect(lists()).toBe(2);
    actorLists.forget(next);
    await clock.advance(10);
    expect(heard).toEqual(['demo a', 'demo b', 'demo c']);
    ask();
    actorLists.forget(demo);
    actorLists.stop();
    ask();
    await clock.advance(60_000);
    expect(heard).toHaveLength(3);
  });

  it('is not sent after the end of all, whatever becomes of its actor then', async () => {
    const { clock, cluster, actorLists, demo, ask, lists } = scene({ listsInFlight: 1 });
    for (const app of ['a', 'b']) ask(pods(app, { app }));
    ask(pods('c', { app: 'c' }), setActor('next'));
    expect(actorLists.isIdle).toBe(false);
    actorLists.stop();
    expect(actorLists.isIdle).toBe(true);
    expect(cluster.lists.inFlight).toBe(0);
    actorLists.forget(demo);
    await clock.advance(60_000);
    expect(lists()).toBe(1);
  });

  it('that has failed leaves no timer behind where its actor has ended', async () => {
    const { clock, cluster, actorLists, demo, ask } = scene();
    cluster.lists.fault = () => ({ type: 'refuse', code: 'SERVER_ERROR' });
    ask();
    await clock.advance(100);
    expect(clock.pending).toBeGreaterThan(0);
    actorLists.forget(demo);
    expect(clock.pending).toBe(0);
  });

  it('fails where the port rejects, and is never of a kind that is not watched', async () => {
    const { clock, cluster, heard, ask } = scene();
    cluster.lists.fault = () => ({ type: 'reject' });
    ask();
    await clock.advance(10);
    expect(heard).toEqual(['demo pods UNREACHABLE']);
    expect(() => ask({ ...pods(), kind: 'Secret' })).toThrow('Secret is not watched');
  });
});

/** Those of the fixture, where the set asks for all pods until it hears of them. */
function asking(heard: string[], cliques: string[] = []): readonly Behaviour[] {
  return behaviours.map((behaviour): Behaviour => {
    const { kind, reduce, reconcile } = behaviour;
    if (kind === 'podclique') {
      const listens: Behaviour['reduce'] = (snapshot, event) => {
        cliques.push(`${event.type} ${heard.length}`);
        return reduce(snapshot, event);
      };
      return { ...behaviour, reduce: listens };
    }
    return {
      ...behaviour,
      reduce: (snapshot, event) => {
        if (event.type === 'objects.listed') heard.push(event.type);
        return reduce(snapshot, event);
      },
      reconcile: (snapshot, now, options) => {
        const { intents, ...rest } = reconcile(snapshot, now, options);
        const asks = heard.length > 0 ? [] : [pods('all', { root: 'demo' })];
        return { ...rest, intents: [...intents, ...asks] };
      },
    };
  });
}

describe('A system in which an actor asks for a list', () => {
  it('lets all whom it concerns observe what watches have not told, and then tells it', async () => {
    const heard: string[] = [];
    const cliques: string[] = [];
    const world = stage({
      behaviours: asking(heard, cliques),
      watch: (observation, tell) => {
        if (observation.type === 'seen' && observation.kind !== 'Pod') tell(observation);
      },
    });
    const labels = { root: 'demo' };
    const owner = { apiVersion: 'x', kind: 'PodClique', name: 'c', uid: 'c1', controller: true };
    world.cluster.apply('Pod', 'c-0', {}, { labels, ownerReferences: [owner] });
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } });
    world.system.synced();
    expect(world.system.idle()).toBe(false);
    await world.reconciled();
    expect(heard).toEqual(['objects.listed']);
    expect(cliques).toEqual(['child.seen 0']);
    expect(await world.view(setKey('demo'))).toMatchObject({ mode: 'alive' });
  });

  it('asks anew after a restart of the actor', async () => {
    const world = stage({ behaviours: asking([]) });
    const { lists } = world.cluster;
    lists.fault = () => ({ type: 'delay', ms: 5_000 });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } });
    await world.clock.advance(50);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0, poison: 'reconcile' } });
    await world.clock.advance(50);
    world.cluster.apply('PodCliqueSet', 'demo', { spec: { replicas: 0 } });
    await world.clock.advance(2_000);
    expect([lists.sent, lists.mostInFlight]).toEqual([2, 1]);
  });
});
