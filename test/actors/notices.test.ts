// Objects of the whole cluster: every actor of a kind hears of them, whenever it starts.
import { describe, expect, it } from 'vitest';
import { Cache } from '#actors/cache.ts';
import type { Known } from '#actors/cache.ts';
import { Router } from '#actors/router.ts';
import type { Notice } from '#actors/notices.ts';
import type { Observation } from '#actors/ports.ts';
import type { ActorKey, Route } from '#machines/vocabulary.ts';
import { cliqueKey, routes, setKey } from './fixtures/facts.ts';
import { stage } from './fixtures/stage.ts';

/** A Secret stands for what all sets want to know of. */
const shared: Route = {
  kind: 'Secret',
  decode: (object) => (object['data'] === null ? { malformed: 'no data' } : object.metadata.name),
  deliver: () => [],
  forget: () => [],
  announce: (name) => [
    {
      to: ['podcliqueset'],
      seen: { type: `shared.seen ${String(name)}` },
      gone: { type: `shared.gone ${String(name)}` },
    },
  ],
};

/** The same, said in a way that the machine of the fixture keeps. */
const asTold: Route = {
  ...shared,
  announce: () => [
    {
      to: ['podcliqueset'],
      seen: { type: 'clique.ready', name: 's', ready: 1 },
      gone: { type: 'clique.ready', name: 's', ready: 0 },
    },
  ],
};

const secret = (version: number, uid = 'u', data: unknown = {}): Observation => ({
  type: 'seen',
  kind: 'Secret',
  object: {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'default', uid, resourceVersion: String(version) },
    data,
  },
});
const gone = (uid = 'u'): Observation => ({
  type: 'gone',
  ref: { kind: 'Secret', namespace: 'default', name: 's' },
  uid,
});

const lone = (key: ActorKey) => ({ key, root: key });

function bench() {
  const router = new Router([shared], {
    cache: new Cache({ tombstones: 10 }),
    refused: () => {},
  });
  const say = ({ to, event }: Notice<Known>): string => `${to.join()}: ${event.type}`;
  return {
    route: (observation: Observation) => (router.route(observation)?.notices ?? []).map(say),
    posted: () => [...router.notices.of(lone(setKey('any')))].map(say),
    others: () => [...router.notices.of(lone(cliqueKey('any')))],
  };
}

const seenText = 'podcliqueset: shared.seen s';
const goneText = 'podcliqueset: shared.gone s';

describe('A notice', () => {
  it('is given when the object is seen and when it is gone, and stands in between', () => {
    const { route, posted, others } = bench();
    expect(route(secret(1))).toEqual([seenText]);
    expect(posted()).toEqual([seenText]);
    expect(others()).toEqual([]);
    expect(route(secret(1))).toEqual([]);
    expect(route(gone())).toEqual([goneText]);
    expect(posted()).toEqual([]);
  });

  it('of an object that another took the place of ends before the next begins', () => {
    const { route, posted } = bench();
    route(secret(1, 'old'));
    expect(route(secret(2, 'new'))).toEqual([goneText, seenText]);
    expect(route(gone('old'))).toEqual([]);
    expect(posted()).toEqual([seenText]);
  });

  it('stands although the object can no longer be read', () => {
    const { route, posted } = bench();
    route(secret(1));
    expect(route(secret(2, 'u', null))).toEqual([]);
    expect(posted()).toEqual([seenText]);
    expect(route(gone())).toEqual([goneText]);
  });

  it('reaches actors that live and those that start later', async () => {
    const world = stage({ routes: [...routes, asTold] });
    world.system.synced();
    world.cluster.apply('PodCliqueSet', 'first', { spec: { replicas: 0, pods: 0 } });
    await world.settled();
    world.system.observe(secret(1_000));
    await world.settled();
    world.cluster.apply('PodCliqueSet', 'second', { spec: { replicas: 1, pods: 0 } });
    await world.settled();
    const toldTo = async (key: ActorKey): Promise<unknown> => (await world.view(key))['state'];
    for (const name of ['first', 'second']) {
      expect(await toldTo(setKey(name))).toMatchObject({ told: { s: 1 } });
    }
    expect(await toldTo(cliqueKey('second-0'))).toMatchObject({ told: {} });
    world.system.observe(gone());
    await world.settled();
    expect(await toldTo(setKey('first'))).toMatchObject({ told: { s: 0 } });
  });
});
