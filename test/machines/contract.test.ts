// What the runtime counts on, for each machine: no news gives back the same snapshot, only a settle
// yields intents, settling twice says the same, identity and end are told right.
import { initialTransition, transition } from 'xstate';
import type { AnyMachineSnapshot } from 'xstate';
import { describe, expect, it } from 'vitest';
import { behaviours, routes } from '#machines/index.ts';
import { actorKinds } from '#machines/kinds.ts';
import type { ActorKind } from '#machines/kinds.ts';
import { actorId } from '#machines/vocabulary.ts';
import type { ActorKey } from '#machines/vocabulary.ts';
import { groupedSet } from '#test/support/samples.ts';
import { settings, World } from '#test/support/world.ts';
import { routeOf } from '#test/support/world-news.ts';

const keys: Record<ActorKind, ActorKey> = {
  podcliqueset: { kind: 'podcliqueset', namespace: 'demo', name: 'demo' },
  podclique: { kind: 'podclique', namespace: 'demo', name: 'demo-0-worker' },
  scalinggroup: { kind: 'scalinggroup', namespace: 'demo', name: 'demo-0-engine' },
  podgang: { kind: 'podgang', namespace: 'demo', name: 'demo-0' },
  topologybinding: { kind: 'topologybinding', namespace: '', name: 'racks' },
};
const actorKindNames = [
  'podcliqueset',
  'podclique',
  'scalinggroup',
  'podgang',
  'topologybinding',
] as const;

function deployed(): World {
  const world = new World();
  world.create(groupedSet(2));
  world.create({
    apiVersion: 'grove.io/v1alpha1',
    kind: 'ClusterTopologyBinding',
    metadata: { name: 'racks' },
    spec: { levels: [{ domain: 'rack', key: 'topology.kubernetes.io/rack' }] },
  });
  world.converge();
  return world;
}

/** Everything that the runtime would deliver to this actor about the world as it is. */
const newsOf = (world: World, key: ActorKey): readonly { readonly type: string }[] =>
  [...world.objects.values()].flatMap((one) => {
    const route = routeOf(one);
    const deliveries = route?.deliver(route.decode(one), one) ?? [];
    return deliveries.filter(({ to }) => actorId(to) === actorId(key)).map(({ event }) => event);
  });

function actorIn(world: World, key: ActorKey): AnyMachineSnapshot {
  const snapshot = world.snapshotOf(key);
  if (snapshot === undefined) throw new Error(`no actor ${actorId(key)}`);
  return snapshot;
}

const fresh = (key: ActorKey): AnyMachineSnapshot =>
  initialTransition(behaviours[key.kind].machine, { key, root: keys.podcliqueset, settings })[0];

for (const kind of actorKindNames) {
  describe(`the machine of a ${kind}`, () => {
    const { machine, identity, isOver, why, view } = behaviours[kind];
    const key = keys[kind];

    it('gives back the same snapshot for what is no news', () => {
      const world = deployed();
      const snapshot = actorIn(world, key);
      const events = newsOf(world, key);
      expect(events.length).toBeGreaterThan(0);
      const noNews = [
        ...events,
        { type: 'clique.gone', uid: 'another', name: 'demo-0-worker' },
        { type: 'gang.gone', uid: 'another', name: 'demo-0' },
        { type: 'group.gone', uid: 'another', name: 'demo-0-engine' },
        { type: 'set.gone', uid: 'another' },
        { type: 'pod.gone', uid: 'another', name: 'x' },
        { type: 'unknown.event' },
      ];
      for (const event of noNews) expect(transition(machine, snapshot, event)[0]).toBe(snapshot);
    });

    it('yields intents at a settle only, and the same at a second one', () => {
      const world = deployed();
      let snapshot = fresh(key);
      for (const event of newsOf(world, key)) {
        const [next, actions] = transition(machine, snapshot, event);
        expect(actions.map(({ type }): string => type)).not.toContain('intend');
        snapshot = next;
      }
      [snapshot] = transition(machine, snapshot, { type: 'settle', now: world.now });
      const [second, actions] = transition(machine, snapshot, { type: 'settle', now: world.now });
      const [, again] = transition(machine, second, { type: 'settle', now: world.now });
      expect(again.map(({ params }) => params)).toEqual(actions.map(({ params }) => params));
      expect(second.context).toBe(snapshot.context);
    });

    it('knows its identity, whether it is over, and has something to say', () => {
      const world = deployed();
      const snapshot = actorIn(world, key);
      const own = world.get(actorKinds[kind], key.name);
      expect(identity(fresh(key))).toBeUndefined();
      expect(identity(snapshot)).toEqual({ uid: own?.metadata.uid, generation: 1 });
      expect(isOver(fresh(key))).toBe(true);
      expect(isOver(snapshot)).toBe(false);
      expect(why(fresh(key), 0)).toEqual([expect.stringContaining('was not seen yet')]);
      expect(why(snapshot, world.now)).toHaveLength(1);
      expect(JSON.parse(JSON.stringify(view(snapshot)))).toEqual(view(snapshot));
    });

    it('ends when its object is gone', () => {
      const world = deployed();
      const own = world.get(actorKinds[kind], key.name);
      const route = routes[actorKinds[kind]];
      if (own === undefined) throw new Error('no such object');
      const mine = route
        .forget(route.decode(own), own)
        .find(({ to }) => actorId(to) === actorId(key));
      const snapshot = actorIn(world, key);
      if (mine === undefined) throw new Error('not told');
      const [last] = transition(machine, snapshot, mine.event);
      expect(last.status).toBe('done');
      expect(isOver(last)).toBe(true);
    });
  });
}
