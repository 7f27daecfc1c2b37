// An adversary that deletes every child of a set again and again for five minutes, on a virtual
// clock: there are never more pods than wanted, and each object is soon made anew but once in ten
// seconds; when the adversary rests all is as it was.
import { describe, expect, it } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { createNamespace, createSet } from '#test/support/workload.ts';
import { PoisonWorld } from './world.ts';

const desired = 12;
const stormMs = 300_000;
const sweepMs = 100;
const namespace = 'storm';

const collections = {
  '/pods': '/api/v1/namespaces/storm/pods',
  '/services': '/api/v1/namespaces/storm/services',
  'grove.io/podcliques': '/apis/grove.io/v1alpha1/namespaces/storm/podcliques',
  'scheduler.grove.io/podgangs': '/apis/scheduler.grove.io/v1alpha1/namespaces/storm/podgangs',
} as const;

const isAlive = (pod: Stored): boolean => at(pod, 'metadata', 'deletionTimestamp') === undefined;

/** Which object it is, however often it was made anew: pods change their names. */
const placeOf = (resource: string, object: Stored): string =>
  `${resource} ${text(at(object, 'spec', 'hostname')) || text(at(object, 'metadata', 'name'))}`;

/** Deletes all that is there, as often as told; counts what is made meanwhile. */
async function storm(body: object | undefined, only?: string) {
  const world = new PoisonWorld({ seed: 5 });
  await world.start();
  await createNamespace(world.user, namespace);
  world.startController();
  await world.clock.advance(1_000);
  const cliques = ['front', 'work'].map((name) => ({ name, replicas: 3 }));
  await createSet(world.user, namespace, { name: 'prey', replicas: 2, cliques });
  await world.clock.advance(20_000);
  const pods = world.cluster.store.collection('/pods');
  const creates = new Map<string, number[]>();
  let mostAlive = 0;
  let mostInPlace = 0;
  const startedAt = world.clock.now();
  for (const resource of Object.keys(collections)) {
    world.cluster.store.collection(resource).onChange(({ type, object }) => {
      if (resource === '/pods') {
        const alive = pods.list(namespace).filter(isAlive);
        mostAlive = Math.max(mostAlive, alive.length);
        const places = Map.groupBy(alive, (pod) => placeOf(resource, pod)).values();
        mostInPlace = Math.max(mostInPlace, ...Array.from(places, ({ length }) => length));
      }
      if (type !== 'ADDED') return;
      const place = placeOf(resource, object);
      creates.set(place, [...(creates.get(place) ?? []), world.clock.now() - startedAt]);
    });
  }
  const sweep = async (): Promise<void> => {
    for (const [resource, path] of Object.entries(collections)) {
      if (only !== undefined && resource !== only) continue;
      for (const object of world.cluster.store.collection(resource).list(namespace)) {
        if (!isAlive(object)) continue;
        const name = text(at(object, 'metadata', 'name'));
        await world.ask({ method: 'DELETE', path: `${path}/${name}`, ...(body && { body }) });
      }
    }
  };
  while (world.clock.now() - startedAt < stormMs) {
    await sweep();
    await world.clock.advance(sweepMs);
  }
  return { world, creates, mostAlive, mostInPlace, pods };
}

const pausesAfter = (creates: ReadonlyMap<string, readonly number[]>, fromMs: number): number[] =>
  [...creates.values()].flatMap((times) =>
    times.slice(1).flatMap((time, index) => (time > fromMs ? [time - (times[index] ?? 0)] : [])),
  );

const median = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

describe.each([
  ['every child at once', { gracePeriodSeconds: 0 }, undefined],
  ['every child and lets it take its time', undefined, undefined],
  ['every pod at once', { gracePeriodSeconds: 0 }, '/pods'],
  ['every pod and lets it take its time', undefined, '/pods'],
] as const)('An adversary that deletes %s for five minutes', (_what, body, only) => {
  it('gets each object anew once in ten seconds, and never more pods than wanted', async () => {
    const { world, creates, mostAlive, mostInPlace, pods } = await storm(body, only);
    // A pod that is being deleted is none that is wanted any more.
    expect({ mostAlive, mostInPlace }).toEqual({ mostAlive: desired, mostInPlace: 1 });
    // The first minute is for falling back.
    const pauses = pausesAfter(creates, 60_000);
    const most = Math.max(...Array.from(creates.values(), (times) => times.length));
    process.stdout.write(
      `figure storm: most alive ${mostAlive} of ${desired}, creates per object at most ${most}, ` +
        `pause median ${median(pauses)} ms, least ${Math.min(...pauses)} ms\n`,
    );
    await world.clock.advance(60_000);
    expect(pods.list(namespace).filter(isAlive)).toHaveLength(desired);
    const set = world.cluster.store.collection('grove.io/podcliquesets').get(namespace, 'prey');
    expect(at(set, 'status', 'availableReplicas')).toBe(2);
    expect(list(at(set, 'status', 'lastErrors'))).toEqual([]);
    expect(median(pauses)).toBeGreaterThanOrEqual(10_000);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(10_000);
    expect(most).toBeLessThanOrEqual(stormMs / 10_000 + 10);
    await world.stop();
  }, 120_000);
});
