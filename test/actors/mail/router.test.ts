// Routing: who hears of an object, who is told to forget it, and what waits in line.
import { describe, expect, it } from 'vitest';
import { Cache } from '#actors/mail/cache.ts';
import { Router } from '#actors/mail/router.ts';
import type { Refusal } from '#actors/mail/router.ts';
import type { Observation } from '#actors/ports.ts';
import type { Route } from '#machines/contract/route.ts';
import { entry, single } from '#machines/contract/view.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueKey, routes } from '../fixtures/facts.ts';
import { stage } from '../fixtures/stage.ts';

const pod = (version: number, owner: string, uid = 'u'): Observation & { type: 'seen' } => ({
  type: 'seen',
  kind: 'Pod',
  object: podOf(version, owner, uid),
});
const podOf = (version: number, owner: string, uid: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'p',
    namespace: 'default',
    uid,
    resourceVersion: String(version),
    labels: { root: 'demo' },
    ...(owner !== '' && {
      ownerReferences: [
        { apiVersion: 'x', kind: 'PodClique', name: owner, uid: owner, controller: true },
      ],
    }),
  },
});
const gone = (uid = 'u'): Observation => ({
  type: 'gone',
  ref: { kind: 'Pod', namespace: 'default', name: 'p' },
  uid,
});

function bench() {
  const refusals: Refusal[] = [];
  const cache = new Cache({ tombstones: 10 });
  const router = new Router(routes, { cache, refused: (each) => refusals.push(each) });
  const route = (observation: Observation): string[] =>
    (router.route(observation)?.routedEvents ?? []).map(
      ({ target, gone: isGone, events }) =>
        `${target.to.name} ${isGone ? 'forgets' : 'sees'} ${events.map(({ type }) => type).join()}`,
    );
  return { route, router, cache, refusals };
}

const seen = single<string>({
  name: 'seen',
  event: () => ({ type: 'seen.read' }),
  say: String,
});

describe('The router', () => {
  it('tells the old owner to forget an object that has a new one', () => {
    const { route } = bench();
    expect(route(pod(1, 'a'))).toEqual(['a sees child.seen']);
    expect(route(pod(2, 'b'))).toEqual(['a forgets child.gone', 'b sees child.seen']);
    expect(route(pod(3, ''))).toEqual(['b forgets child.gone']);
    expect(route(pod(4, 'a'))).toEqual(['a sees child.seen']);
    expect(route(gone())).toEqual(['a forgets child.gone']);
    expect(route(gone())).toEqual([]);
  });

  it('tells of the end of an object whose name another UID took', () => {
    const { route } = bench();
    route(pod(1, 'a', 'old'));
    expect(route(pod(5, 'a', 'new'))).toEqual(['a forgets child.gone', 'a sees child.seen']);
    expect(route(gone('old'))).toEqual([]);
  });

  it('sends an object to all who want it', () => {
    const { route } = bench();
    const clique = { ...podOf(1, 'demo', 'c'), kind: 'PodClique', spec: { replicas: 1 } };
    expect(route({ type: 'seen', kind: 'PodClique', object: clique })).toEqual([
      'p sees own.seen',
      'demo sees child.seen',
    ]);
  });

  it('keeps the targets of an object that can no longer be read, and says so', () => {
    const { route, cache, refusals } = bench();
    const clique = (version: number, spec: object): Observation => ({
      type: 'seen',
      kind: 'PodClique',
      object: { ...podOf(version, 'demo', 'c'), kind: 'PodClique', spec },
    });
    route(clique(1, { replicas: 1 }));
    route(clique(2, {}));
    route(clique(3, { replicas: 1, poison: 'decode' }));
    expect(refusals.map(({ malformed }) => malformed)).toEqual([
      'spec.replicas is not a number',
      'the decoder threw',
    ]);
    const known = cache.addressedTo(cliqueKey('p'), {
      kind: 'PodClique',
      namespace: 'default',
      name: 'p',
    });
    expect(known.map(({ version }) => version)).toEqual(['3']);
  });

  it('keeps what an object is in views of the route that cannot read it, and of no other', () => {
    const cache = new Cache({ tombstones: 10 });
    const reads = (name: string, isOdd: boolean): Route => ({
      kind: 'Pod',
      decode: ({ metadata: { resourceVersion } }) =>
        isOdd && resourceVersion === '2' ? { malformed: 'odd' } : resourceVersion,
      deliver: () => [],
      forget: () => [],
      show: (fact) => [entry(seen, name, String(fact))],
    });
    const routes = [reads('even', false), reads('odd', true)];
    const router = new Router(routes, { cache, refused: () => {} });
    const shown = (version: number, uid = 'u') =>
      router.route(pod(version, '', uid))?.entries.map(({ key, item }) => [key, item]);
    expect(shown(1)).toEqual([
      ['even', '1'],
      ['odd', '1'],
    ]);
    expect(shown(2)).toEqual([
      ['even', '2'],
      ['odd', '1'],
    ]);
    expect(shown(3)).toEqual([
      ['even', '3'],
      ['odd', '3'],
    ]);
    expect(router.route(gone())?.entries).toEqual([]);
  });

  it('ignores kinds that nobody wants', () => {
    const { route } = bench();
    expect(route({ ...pod(1, 'a'), kind: 'Secret' })).toEqual([]);
  });
});

describe('An observation that waits for the next tick', () => {
  const children = async (...observations: Observation[]): Promise<unknown> => {
    const world = stage();
    world.system.synced();
    world.cluster.apply(
      'PodClique',
      'a',
      { spec: { replicas: 0, pods: 0 } },
      { labels: { root: 'demo' } },
    );
    await world.reconciled();
    for (const observation of observations) world.system.observe(observation);
    await world.clock.drain();
    const { state } = await world.view(cliqueKey('a'));
    return state;
  };

  it('gives way to a newer version, and never to an older one', async () => {
    expect(await children(pod(500, 'b'), pod(600, 'a'))).toMatchObject({ children: ['p'] });
    expect(await children(pod(600, 'a'), pod(500, 'b'))).toMatchObject({ children: ['p'] });
  });

  it('gives way to its deletion', async () => {
    expect(await children(pod(500, 'a'), gone())).toMatchObject({ children: [] });
    expect(await children(gone(), pod(500, 'a'))).toMatchObject({ children: [] });
  });

  it('does not give way to an end of before that is not sure', async () => {
    const end = (upTo: string): Observation => Object.assign(gone(), { isSure: false, upTo });
    expect(await children(pod(600, 'a'), end('500'))).toMatchObject({ children: ['p'] });
    expect(await children(pod(600, 'a'), end('600'))).toMatchObject({ children: [] });
  });

  it('does not come back as it was before it lost its label, whatever was told first', async () => {
    const end = (upTo: string): Observation =>
      Object.assign(gone(), { isSure: false, upTo, isOwnVersion: true });
    expect(await children(end('600'), pod(500, 'a'))).toMatchObject({ children: [] });
    expect(await children(end('600'), pod(600, 'a'))).toMatchObject({ children: ['p'] });
    const list = (upTo: string): Observation => Object.assign(gone(), { isSure: false, upTo });
    expect(await children(list('600'), pod(500, 'a'))).toMatchObject({ children: ['p'] });
  });

  it('stands beside one of another UID', async () => {
    expect(await children(pod(500, 'a', 'old'), pod(600, 'a', 'new'), gone('old'))).toMatchObject({
      children: ['p'],
    });
  });
});
