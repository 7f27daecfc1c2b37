// Objects that many share: every actor of a kind hears of them, whenever it starts - in the whole
// cluster, in one tree, or in the trees that follow a topic.
import { describe, expect, it } from 'vitest';
import { Cache } from '#actors/cache.ts';
import type { Known } from '#actors/cache.ts';
import { Router } from '#actors/router.ts';
import type { Notice } from '#actors/notices.ts';
import type { Observation } from '#actors/ports.ts';
import { at, text } from '#machines/json.ts';
import type { Kind } from '#machines/kinds.ts';
import type { ObjectMeta } from '#machines/objects.ts';
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

/** A Service that one tree shares, in the tree that its label names. */
const within: Route = {
  kind: 'Service',
  decode: (object) => object.metadata.labels?.['tree'] ?? '',
  deliver: () => [],
  forget: () => [],
  announce: (tree) =>
    tree === ''
      ? []
      : [
          {
            to: ['podclique'],
            within: setKey(String(tree)),
            seen: { type: 'tree.seen' },
            gone: { type: 'tree.gone' },
          },
        ],
};

/** A ServiceAccount that is told of on a topic: its name. */
const onTopic: Route = {
  kind: 'ServiceAccount',
  decode: (object) => object.metadata.name,
  deliver: () => [],
  forget: () => [],
  announce: (name) => [
    {
      to: ['podclique'],
      topic: String(name),
      seen: { type: `topic.seen ${String(name)}` },
      gone: { type: `topic.gone ${String(name)}` },
    },
  ],
};

/** A PodCliqueSet whose tree follows the topics that an annotation lists. */
const follower: Route = {
  kind: 'PodCliqueSet',
  decode: ({ metadata }) => ({ name: metadata.name, topics: metadata.annotations?.['topics'] }),
  deliver: () => [],
  forget: () => [],
  follow: (fact) => ({
    root: setKey(text(at(fact, 'name'))),
    topics: text(at(fact, 'topics')).split(' ').filter(Boolean),
  }),
};

function scoped() {
  const router = new Router([within, onTopic, follower], {
    cache: new Cache({ tombstones: 10 }),
    refused: () => {},
  });
  let version = 0;
  const say = ({ trees, event }: Notice<Known>): string =>
    `${event.type} in ${[...(trees ?? ['all'])].join(' ')}`;
  return {
    see: (kind: Kind, name: string, metadata: Partial<ObjectMeta> = {}): readonly string[] => {
      const meta = { name, namespace: 'default', uid: `${kind} ${name}`, ...metadata };
      const object = {
        apiVersion: 'v1',
        kind,
        metadata: { ...meta, resourceVersion: String(++version) },
      };
      return (router.route({ type: 'seen', kind, object })?.notices ?? []).map(say);
    },
    lose: (kind: Kind, name: string): readonly string[] => {
      const ref = { kind, namespace: 'default', name };
      return (router.route({ type: 'gone', ref, uid: `${kind} ${name}` })?.notices ?? []).map(say);
    },
    /** What a PodClique of this set hears when it starts. */
    posted: (set: string): readonly string[] =>
      [...router.notices.of({ key: cliqueKey('any'), root: setKey(set) })].map(
        ({ event }) => event.type,
      ),
  };
}

const treeOf = (set: string): string => `podcliqueset/default/${set}`;

describe('A notice for one tree', () => {
  it('is heard there alone, and by those that start later', () => {
    const { see, lose, posted } = scoped();
    expect(see('Service', 's', { labels: { tree: 'a' } })).toEqual([`tree.seen in ${treeOf('a')}`]);
    expect(posted('a')).toEqual(['tree.seen']);
    expect(posted('b')).toEqual([]);
    expect(lose('Service', 's')).toEqual([`tree.gone in ${treeOf('a')}`]);
    expect(posted('a')).toEqual([]);
  });

  it('ends when the object does not say it any more', () => {
    const { see, posted } = scoped();
    see('Service', 's', { labels: { tree: 'a' } });
    expect(see('Service', 's')).toEqual([`tree.gone in ${treeOf('a')}`]);
    expect(posted('a')).toEqual([]);
  });
});

describe('A notice on a topic', () => {
  it('is heard in the trees that follow it, whichever comes first', () => {
    const { see, lose, posted } = scoped();
    expect(see('ServiceAccount', 'x')).toEqual(['topic.seen x in ']);
    expect(see('PodCliqueSet', 'a', { annotations: { topics: 'x y' } })).toEqual([
      `topic.seen x in ${treeOf('a')}`,
    ]);
    expect(see('ServiceAccount', 'y')).toEqual([`topic.seen y in ${treeOf('a')}`]);
    expect(posted('a')).toEqual(['topic.seen x', 'topic.seen y']);
    expect(posted('b')).toEqual([]);
    expect(lose('ServiceAccount', 'x')).toEqual([`topic.gone x in ${treeOf('a')}`]);
    expect(posted('a')).toEqual(['topic.seen y']);
  });

  it('is no news to a tree that followed it before', () => {
    const { see } = scoped();
    see('ServiceAccount', 'x');
    see('ServiceAccount', 'y');
    see('PodCliqueSet', 'a', { annotations: { topics: 'x' } });
    expect(see('PodCliqueSet', 'a', { annotations: { topics: 'x y' } })).toEqual([
      `topic.seen y in ${treeOf('a')}`,
    ]);
  });

  it('is heard no more where the set is gone, or follows it no more', () => {
    const { see, lose, posted } = scoped();
    see('PodCliqueSet', 'a', { annotations: { topics: 'x' } });
    see('PodCliqueSet', 'b', { annotations: { topics: 'x' } });
    see('PodCliqueSet', 'a');
    lose('PodCliqueSet', 'b');
    expect(see('ServiceAccount', 'x')).toEqual(['topic.seen x in ']);
    expect([...posted('a'), ...posted('b')]).toEqual([]);
  });
});

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
