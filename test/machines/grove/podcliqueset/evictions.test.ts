// What people and schedulers do to a gang on purpose: kubectl drain, evictions, preemption. Where
// its pods find another place nothing is terminated; where they do not, the gang is.
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { at } from '#machines/kubernetes/json.ts';
import {
  all,
  delayMs,
  kill,
  podsOf,
  ready,
  renewed,
  told,
  uids,
  w1,
  workload,
} from '#test/support/gangs.ts';
import { demoSet } from '#test/support/samples.ts';
import { refOf } from '#test/support/world-store.ts';
import type { World } from '#test/support/world.ts';

const available = (world: World): unknown =>
  at(world.get('PodCliqueSet', 'demo'), 'status', 'availableReplicas');

/** One after the other, each with its grace. */
function evictAll(world: World, status?: JsonObject): void {
  for (const name of all(world)) {
    for (const pod of podsOf(world, name)) {
      if (status !== undefined) world.setPodStatus(pod.metadata.name, status);
      world.remove(refOf(pod));
      world.stabilize();
      world.pass(5_000);
    }
  }
}

const preempted: JsonObject = {
  phase: 'Running',
  conditions: [
    { type: 'PodScheduled', status: 'True' },
    { type: 'DisruptionTarget', status: 'True', reason: 'PreemptionByScheduler' },
  ],
};

describe('A gang', () => {
  it('that is drained from its nodes and finds others is not terminated', () => {
    const world = ready(workload(w1));
    const before = uids(world);
    for (const name of all(world)) {
      for (const pod of podsOf(world, name)) {
        world.remove(refOf(pod));
        world.converge();
        world.pass(5_000);
      }
    }
    world.pass(2 * delayMs);
    expect(renewed(world, before)).toEqual([]);
    expect(available(world)).toBe(1);
  });

  it.each([
    ['drained by kubectl', undefined],
    ['preempted', preempted],
  ])('that is %s and finds no other place is terminated once', (_, status) => {
    const world = ready(workload(w1));
    const before = uids(world);
    evictAll(world, status);
    for (const pod of world.all('Pod')) {
      if (pod.metadata.deletionTimestamp !== undefined) world.drop(refOf(pod));
    }
    world.stabilize();
    world.pass(delayMs);
    expect(renewed(world, before)).toEqual(all(world));
    const after = uids(world);
    world.pass(3 * delayMs);
    expect(renewed(world, after)).toEqual([]);
    expect(told(world).filter((event) => event.startsWith('Normal'))).toHaveLength(1);
    world.converge();
    expect(available(world)).toBe(1);
  });

  it('whose pods are evicted by their kubelets gets new ones in time', () => {
    const world = ready(workload(w1));
    const before = uids(world);
    for (const pod of podsOf(world, 'demo-0-a')) {
      world.setPodStatus(pod.metadata.name, { phase: 'Failed', reason: 'Evicted' });
    }
    world.converge();
    world.pass(2 * delayMs);
    expect(renewed(world, before)).toEqual([]);
    expect(available(world)).toBe(1);
  });

  it('keeps what an autoscaler has set on it through its termination', () => {
    const world = ready(workload(w1));
    const scaled = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-a' } as const;
    world.edit(scaled, { spec: { replicas: 4 } });
    world.converge();
    world.pass(60_000);
    kill(world, 'demo-0-a', 3);
    world.pass(delayMs);
    world.edit(demoSet, { metadata: { labels: { team: 'red' } } });
    world.converge();
    expect(podsOf(world, 'demo-0-a')).toHaveLength(4);
  });
});
