// What the runtime counts on, for each behaviour: no news gives back the same snapshot, reconciling
// twice says the same, its end is told right, and plain xstate takes the same steps.
import { describe, expect, it } from 'vitest';
import { createActor, type AnyMachineSnapshot } from 'xstate';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { Delivery } from '#machines/contract/route.ts';
import { groveActors } from '#machines/grove/kinds.ts';
import type { GroveInput } from '#machines/grove/settings.ts';
import { objectKind } from '#machines/kinds.ts';
import { logicOf } from '#machines/statechart/define.ts';
import { behaviourOf, routeOf } from '#test/support/modules.ts';
import { groupedSet } from '#test/support/samples.ts';
import { routeFor } from '#test/support/world-news.ts';
import { settings, World } from '#test/support/world.ts';

const keys: Record<keyof typeof groveActors, ActorKey> = {
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

type Events = readonly { readonly type: string }[];

const eventsTo = (key: ActorKey, deliveries: readonly Delivery[] = []): Events =>
  deliveries.filter(({ to }) => actorId(to) === actorId(key)).map(({ event }) => event);

/** Everything that the runtime would deliver to this actor about the world as it is. */
const newsOf = (world: World, key: ActorKey): Events =>
  [...world.objects.values()].flatMap((one) => {
    const route = routeFor(one);
    return eventsTo(key, route?.deliver(route.decode(one), one));
  });

/** What the actor would be told of the ends of other objects of the names that are there. */
const endsOfNamesakes = (world: World, key: ActorKey): Events =>
  [...world.objects.values()].flatMap((one) => {
    const other = { ...one, metadata: { ...one.metadata, uid: 'another' } };
    const route = routeFor(other);
    return eventsTo(key, route?.forget(route.decode(other), other));
  });

function actorIn(world: World, key: ActorKey): AnyMachineSnapshot {
  const snapshot = world.snapshotOf(key);
  if (snapshot === undefined) throw new Error(`no actor ${actorId(key)}`);
  return snapshot;
}

const inputOf = (key: ActorKey): GroveInput => ({ key, root: keys.podcliqueset, settings });

const fresh = (key: ActorKey): AnyMachineSnapshot => behaviourOf(key.kind).start(inputOf(key));

for (const kind of actorKindNames) {
  describe(`the behaviour of a ${kind}`, () => {
    const { reduce, reconcile, isOver, why, view } = behaviourOf(kind);
    const key = keys[kind];

    it('gives back the same snapshot for what is no news', () => {
      const world = deployed();
      const snapshot = actorIn(world, key);
      const events = newsOf(world, key);
      expect(events.length).toBeGreaterThan(0);
      const ends = endsOfNamesakes(world, key);
      expect(ends.length).toBeGreaterThan(0);
      const noNews = [
        ...events,
        ...ends,
        { type: 'clique.gone', uid: 'another', name: 'demo-0-worker' },
        { type: 'gang.gone', uid: 'another', name: 'demo-0' },
        { type: 'group.gone', uid: 'another', name: 'demo-0-engine' },
        { type: 'set.gone', uid: 'another' },
        { type: 'pod.gone', uid: 'another', name: 'x' },
        { type: 'unknown.event' },
      ];
      for (const event of noNews) expect(reduce(snapshot, event)).toBe(snapshot);
    });

    it('says the same when it is reconciled twice', () => {
      const world = deployed();
      let snapshot = fresh(key);
      for (const event of newsOf(world, key)) snapshot = reduce(snapshot, event);
      const first = reconcile(snapshot, world.now);
      const second = reconcile(first.snapshot, world.now);
      const third = reconcile(second.snapshot, world.now);
      expect(third.intents).toEqual(second.intents);
      expect(third.snapshot).toBe(second.snapshot);
    });

    it('takes the same steps in plain xstate', () => {
      const world = deployed();
      const intents: Intent[] = [];
      const inspected: string[] = [];
      const actor = createActor(logicOf(behaviourOf(kind)), {
        input: inputOf(key),
        inspect: ({ type }) => void inspected.push(type),
      });
      actor.on('intended', ({ intent }) => void intents.push(intent));
      actor.start();
      let snapshot = fresh(key);
      for (const event of newsOf(world, key)) {
        snapshot = reduce(snapshot, event);
        actor.send(event);
      }
      const reconciled = reconcile(snapshot, world.now);
      actor.send({ type: 'reconcile', now: world.now });
      expect(actor.getSnapshot().value).toEqual(reconciled.snapshot.value);
      expect(actor.getSnapshot().context).toEqual(reconciled.snapshot.context);
      expect(intents).toEqual(reconciled.intents);
      expect(new Set(inspected)).toEqual(
        new Set(['@xstate.actor', '@xstate.event', '@xstate.microstep', '@xstate.snapshot']),
      );
    });

    it('knows whether it is over, and has something to say', () => {
      const world = deployed();
      const snapshot = actorIn(world, key);
      expect(isOver(fresh(key))).toBe(true);
      expect(isOver(snapshot)).toBe(false);
      expect(why(fresh(key), 0)).toEqual([expect.stringContaining('was not seen yet')]);
      expect(why(snapshot, world.now)).toHaveLength(1);
      expect(JSON.parse(JSON.stringify(view(snapshot)))).toEqual(view(snapshot));
    });

    it('ends when its object is gone, and not where that is back before it is reconciled', () => {
      const world = deployed();
      const own = world.get(objectKind(kind), key.name);
      const route = routeOf(objectKind(kind));
      if (own === undefined) throw new Error('no such object');
      const mine = route
        .forget(route.decode(own), own)
        .find(({ to }) => actorId(to) === actorId(key));
      const snapshot = actorIn(world, key);
      if (mine === undefined) throw new Error('not told');
      const back = reduce(snapshot, mine.event);
      const [seen] = route
        .deliver(route.decode(own), own)
        .filter(({ to }) => actorId(to) === actorId(key));
      expect(isOver(back)).toBe(true);
      expect(isOver(reduce(back, seen?.event ?? mine.event))).toBe(false);
      const last = reduce(snapshot, mine.event);
      expect(isOver(last)).toBe(true);
      expect(reconcile(last, world.now)).toMatchObject({ intents: [], waits: [] });
      expect(reconcile(last, world.now).snapshot.status).toBe('done');
    });
  });
}
