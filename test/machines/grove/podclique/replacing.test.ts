// Pods that go and pods that come: indices and names of replacements, seen through a PodClique and
// its PodGang in the little world.
import { beforeEach, describe, expect, it } from 'vitest';
import type { ObjectRef } from '#machines/contract/address.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import type { World } from '#test/support/world.ts';
import { clique, gang, podsOf, worldOf } from './tree.ts';

const name = 'demo-0-a';
const ref = (pod: string): ObjectRef => ({ kind: 'Pod', namespace: 'demo', name: pod });
const cliqueRef = { kind: 'PodClique', namespace: 'demo', name } as const;

const hosts = (world: World): readonly string[] =>
  podsOf(world, name)
    .filter((pod) => pod.metadata.deletionTimestamp === undefined)
    .map((pod) => text(at(pod, 'spec', 'hostname')))
    .toSorted();

const podAt = (world: World, index: number): string =>
  podsOf(world, name).find((pod) => at(pod, 'spec', 'hostname') === `${name}-${index}`)?.metadata
    .name ?? '';

/** Names of the pods whose deletion was asked for, and is refused from now on. */
function refusedDeletions(during: () => void): readonly string[] {
  const names: string[] = [];
  world.options = {
    refuse: (op, { kind, name: asked }) => {
      if (op !== 'delete' || kind !== 'Pod') return undefined;
      names.push(asked);
      return 'SERVER_ERROR';
    },
  };
  during();
  return names;
}

let world: World;

beforeEach(() => {
  const labels = { 'grove.io/podgang': 'demo-0' };
  world = worldOf([clique(name, 3, labels), gang('demo-0', { [name]: 3 })]);
});

describe('a pod', () => {
  it('that is terminating is replaced at once, before it is gone (10.1 rule 4)', () => {
    world.remove(ref(podAt(world, 1)));
    world.stabilize();
    expect(podsOf(world, name)).toHaveLength(4);
    expect(hosts(world)).toEqual([`${name}-0`, `${name}-1`, `${name}-2`]);
  });

  it('takes the hole that another left, not the next number (10.1 rule 6)', () => {
    world.drop(ref(podAt(world, 0)));
    world.stabilize();
    expect(hosts(world)).toEqual([`${name}-0`, `${name}-1`, `${name}-2`]);
  });

  it('that was chosen to go keeps its index and its place as long as its deletion is refused', () => {
    const [going = ''] = refusedDeletions(() => {
      world.edit(cliqueRef, { spec: { replicas: 2 } });
      world.stabilize();
    });
    const others = podsOf(world, name).map((pod) => pod.metadata.name);
    world.remove(ref(others.find((other) => other !== going) ?? ''));
    world.stabilize();
    expect(podsOf(world, name)).toHaveLength(3);
    world.options = {};
    world.pass(1_000);
    expect(hosts(world)).toHaveLength(2);
  });

  it('that was in excess stays when another one goes before its deletion is sent', () => {
    world.options = { refuse: (op) => (op === 'delete' ? 'NOT_OWNER' : undefined) };
    world.edit(cliqueRef, { spec: { replicas: 2 } });
    world.stabilize();
    const chosen = podAt(world, 2);
    world.remove(ref(podAt(world, 0)));
    world.stabilize();
    world.options = {};
    world.pass(60_000);
    expect(podsOf(world, name).map(({ metadata }) => metadata.name)).toContain(chosen);
    expect(hosts(world)).toEqual([`${name}-1`, `${name}-2`]);
  });

  it('that was created and went at once is created again (10.1 rule 3)', () => {
    world.options = { isSlow: true };
    world.remove(ref(podAt(world, 2)));
    world.stabilize();
    world.land(); // the PodGang lists the new name
    world.land(); // the pod is created
    const fresh = podsOf(world, name).find(
      (pod) =>
        pod.metadata.deletionTimestamp === undefined && at(pod, 'spec', 'hostname') === `${name}-2`,
    );
    expect(fresh).toBeDefined();
    world.drop(ref(fresh?.metadata.name ?? ''));
    world.options = {};
    world.stabilize();
    world.land();
    expect(hosts(world)).toEqual([`${name}-0`, `${name}-1`, `${name}-2`]);
  });

  it('never shares an index with one whose creation is under way (10.2 gap 20)', () => {
    world.options = { isSlow: true };
    world.edit(cliqueRef, { spec: { replicas: 5 } });
    world.stabilize();
    world.land();
    world.edit(cliqueRef, { spec: { replicas: 7 } });
    world.stabilize();
    for (let round = 0; round < 6; round++) world.land();
    expect(hosts(world)).toEqual(Array.from({ length: 7 }, (_, index) => `${name}-${index}`));
  });
});

describe('a PodClique', () => {
  const key = { kind: 'podclique', namespace: 'demo', name } as const;

  it('made anew under its name has none of the old one`s pods, and takes none of their names (10.1 rule 9)', () => {
    const old = podsOf(world, name).map((pod) => pod.metadata.name);
    world.drop(cliqueRef);
    world.create(clique(name, 3, { 'grove.io/podgang': 'demo-0' }));
    world.stabilize();
    world.pass(5_000);
    const uid = world.get('PodClique', name)?.metadata.uid;
    const fresh = podsOf(world, name).filter(
      (pod) => pod.metadata.ownerReferences?.[0]?.uid === uid,
    );
    expect(fresh).toHaveLength(3);
    expect(fresh.filter((pod) => old.includes(pod.metadata.name))).toEqual([]);
  });

  it('is not touched by a pod that says the same in another object (10.1 rule 16)', () => {
    const status = {
      phase: 'Running',
      containerStatuses: [{ name: 'main', started: false, ready: false }],
    };
    world.setPodStatus(podAt(world, 0), status);
    world.stabilize();
    const before = world.snapshotOf(key);
    const [writes, version] = [world.writes.length, world.version];
    const hostIP = { ...structuredClone(status), hostIP: '10.0.0.1' };
    world.setPodStatus(podAt(world, 0), hostIP);
    world.stabilize();
    expect(world.version).toBe(version + 1);
    expect(world.snapshotOf(key)).toBe(before);
    expect(world.writes).toHaveLength(writes);
  });
});
