// The known hard cases of spec controllers 10 that concern standalone cliques and have no test of
// their own elsewhere; the number of the rule or gap is in the title.
import { describe, expect, it } from 'vitest';
import { isPodNews, type ObservedPod, readPod } from '#machines/grove/objects/pod.ts';
import { at, count, list, text } from '#machines/kubernetes/json.ts';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';
import { podObject } from './grove/podclique/sample.ts';

function deployed(...args: Parameters<typeof cliqueSet>): World {
  const world = new World();
  world.create(cliqueSet(...args));
  world.converge();
  return world;
}

const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;
const statusOf = (world: World): unknown => world.get('PodCliqueSet', 'demo')?.['status'];

describe('spec controllers 10.1', () => {
  it('rule 1: a set deleted and created again under its name comes up promptly', () => {
    const world = deployed(2);
    world.remove(demoSet);
    world.stabilize();
    world.create(cliqueSet(2));
    world.converge();
    expect(statusOf(world)).toMatchObject({ availableReplicas: 2, observedGeneration: 1 });
    const uid = world.get('PodCliqueSet', 'demo')?.metadata.uid;
    for (const one of world.all('PodClique')) {
      expect(one.metadata.ownerReferences?.[0]?.uid).toBe(uid);
    }
  });

  it('rule 3: a pod that is deleted before its creation was answered is made again', () => {
    const world = new World({ isSlow: true });
    world.create(cliqueSet(1));
    const go = (): void => {
      world.land();
      world.converge();
    };
    for (let round = 0; round < 50 && world.all('Pod').length === 0; round++) go();
    expect(world.all('Pod')).not.toEqual([]);
    for (const { metadata } of world.all('Pod')) {
      world.drop({ kind: 'Pod', namespace: 'demo', name: metadata.name });
    }
    for (let round = 0; round < 50; round++) go();
    expect(statusOf(world)).toMatchObject({ availableReplicas: 1 });
  });

  it('rule 4: a pod that is leaving is replaced before it is gone', () => {
    const world = deployed(1);
    const [first] = world.all('Pod').map((pod) => pod.metadata.name);
    world.remove({ kind: 'Pod', namespace: 'demo', name: first ?? '' });
    world.stabilize();
    const pods = world.all('Pod');
    expect(pods.filter((pod) => pod.metadata.deletionTimestamp !== undefined)).toHaveLength(1);
    expect(pods.filter((pod) => pod.metadata.deletionTimestamp === undefined)).toHaveLength(2);
  });

  it('rule 6: the index of a failed or terminating pod is given out again (10.2 gap 21)', () => {
    const world = deployed(1, [{ name: 'worker', replicas: 3 }]);
    const second = world.all('Pod').find((pod) => text(at(pod, 'spec', 'hostname')).endsWith('-1'));
    world.setPodStatus(second?.metadata.name ?? '', { phase: 'Failed' });
    world.converge();
    expect(world.all('Pod').map(({ metadata }) => metadata.uid)).not.toContain(
      second?.metadata.uid,
    );
    const hosts = world.all('Pod').map((pod) => text(at(pod, 'spec', 'hostname')));
    expect(hosts.toSorted()).toEqual([0, 1, 2].map((index) => `demo-0-worker-${index}`));
  });

  it('rule 9: a PodClique created again does not take the old one’s pods for its own', () => {
    const world = deployed(1);
    const old = world.all('Pod').map((pod) => pod.metadata.name);
    world.remove(clique);
    world.stabilize();
    expect(world.get('PodClique', clique.name)?.['status']).toMatchObject({ readyReplicas: 0 });
    world.converge();
    const now = world.all('Pod').map((pod) => pod.metadata.name);
    expect(now).toHaveLength(2);
    expect(now.filter((name) => old.includes(name))).toEqual([]);
  });

  it('rule 16: `started` is compared by value: true, false and absent differ, repeats do not', () => {
    const pod = (started?: boolean): ObservedPod => {
      const container = { name: 'c', ready: false, ...(started === undefined ? {} : { started }) };
      const status = { phase: 'Running', containerStatuses: [container] };
      const read = readPod(podObject({ name: 'p', status }));
      if ('malformed' in read) throw new Error(read.malformed);
      return read;
    };
    expect(isPodNews(pod(true), pod(true))).toBe(false);
    expect(isPodNews(pod(true), pod(false))).toBe(true);
    expect(isPodNews(undefined, pod(true))).toBe(true);
  });

  it('rule 19: a set that takes its PodCliques along records no Warning', () => {
    const world = deployed(2);
    world.events.length = 0;
    world.remove(demoSet);
    world.converge();
    expect(world.all('PodClique')).toEqual([]);
    expect(world.events.filter(({ severity }) => severity === 'Warning')).toEqual([]);
  });

  it('rule 19: a PodClique that is gone when its deletion comes is nothing to report', () => {
    const world = deployed(2);
    world.events.length = 0;
    world.options = {
      refuse: (op, { kind }) => (op === 'delete' && kind === 'PodClique' ? 'NOT_FOUND' : undefined),
    };
    world.remove(demoSet);
    world.stabilize();
    for (const { metadata } of world.all('PodClique')) {
      world.drop({ kind: 'PodClique', namespace: 'demo', name: metadata.name });
    }
    world.converge();
    expect(world.events.filter(({ severity }) => severity === 'Warning')).toEqual([]);
  });

  it('rule 25: a scheduler that is not enabled is told of, and no pod is made', () => {
    const podSpec = { containers: [], schedulerName: 'nobody' };
    const world = deployed(1, [{ name: 'worker', podSpec }]);
    expect(world.all('Pod')).toEqual([]);
    const errors = list(world.get('PodClique', clique.name)?.['status']).concat(
      list(at(world.get('PodClique', clique.name), 'status', 'lastErrors')),
    );
    expect(errors.map((entry) => text(at(entry, 'description'))).join()).toContain('nobody');
  });

  it('rule 34: a set whose pods are unschedulable says so, with the scheduler’s own words', () => {
    const world = new World();
    world.create(cliqueSet(1));
    world.stabilize();
    const message = '0/3 nodes are available: insufficient nvidia.com/gpu';
    const name = world.all('Pod')[0]?.metadata.name ?? '';
    world.setPodStatus(name, {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    });
    world.stabilize();
    const why = world.why({ kind: 'podclique', namespace: 'demo', name: clique.name });
    expect(why).toContain(`pod ${name} is unschedulable: ${message}`);
  });

  it('rule 47: the user’s serviceAccountName and priority class stay', () => {
    const podSpec = { containers: [], serviceAccountName: 'mine', priorityClassName: 'low' };
    const world = deployed(1, [{ name: 'worker', podSpec }], { priorityClassName: 'high' });
    expect(world.all('Pod')[0]?.['spec']).toMatchObject({
      serviceAccountName: 'mine',
      priorityClassName: 'low',
    });
    expect(world.get('PodGang', 'demo-0')?.['spec']).toMatchObject({ priorityClassName: 'high' });
  });

  it('rule 52: PodCliques are born with their finalizer', () => {
    const world = new World();
    world.create(cliqueSet(1));
    world.stabilize();
    expect(world.get('PodClique', clique.name)?.metadata.finalizers).toEqual([
      'grove.io/podclique.grove.io',
    ]);
    expect(world.writes.some(({ op, ref }) => op === 'patch' && ref.kind === 'PodClique')).toBe(
      false,
    );
  });

  it('rule 53: foreign finalizers hold a PodClique, ours does not', () => {
    const world = deployed(1);
    world.edit(clique, { metadata: { finalizers: ['grove.io/podclique.grove.io', 'theirs'] } });
    world.remove(clique);
    world.stabilize();
    expect(world.get('PodClique', clique.name)?.metadata.finalizers).toEqual(['theirs']);
    world.edit(clique, { metadata: { finalizers: [] } });
    world.converge();
    expect(statusOf(world)).toMatchObject({ availableReplicas: 1 });
  });
});

describe('spec controllers 10.2', () => {
  it('gap 1: cliques whose names end alike are told apart', () => {
    const world = deployed(1, [
      { name: 'worker', replicas: 1 },
      { name: 'prefill-worker', replicas: 3 },
    ]);
    const replicas = world.all('PodClique').map((one) => count(at(one, 'spec', 'replicas')));
    expect(replicas).toEqual([1, 3]);
    expect(statusOf(world)).toMatchObject({ availableReplicas: 1 });
  });

  it('gap 4: a pod that is scheduled shows in its PodClique at the next reconcile', () => {
    const world = new World();
    world.create(cliqueSet(1));
    world.stabilize();
    for (const { metadata } of world.all('Pod')) {
      world.setPodStatus(metadata.name, {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'True' }],
      });
    }
    world.stabilize();
    expect(world.get('PodClique', clique.name)?.['status']).toMatchObject({ scheduledReplicas: 2 });
  });

  it('gap 7: the first pods do not wait for the token', () => {
    const world = new World();
    world.create(cliqueSet(1));
    world.stabilize();
    expect(at(world.get('Secret', 'demo-ic-sat'), 'data')).toBeUndefined();
    expect(world.all('Pod')).toHaveLength(2);
  });

  it('gap 20: scaling out twice in a hurry never gives an index twice', () => {
    const world = deployed(1);
    world.edit(clique, { spec: { replicas: 4 } });
    world.edit(clique, { spec: { replicas: 7 } });
    world.converge();
    const hosts = world.all('Pod').map((pod) => text(at(pod, 'spec', 'hostname')));
    expect(new Set(hosts).size).toBe(7);
  });

  it('gap 27: missing pods do not keep the set’s generation from being observed', () => {
    const world = new World({
      refuse: (op, { kind }) => (op === 'create' && kind === 'Pod' ? 'FORBIDDEN' : undefined),
    });
    world.create(cliqueSet(1));
    world.converge();
    expect(statusOf(world)).toMatchObject({ observedGeneration: 1, availableReplicas: 0 });
    const group = list(at(world.get('PodGang', 'demo-0'), 'spec', 'podgroups'))[0];
    expect(list(at(group, 'podReferences'))).toHaveLength(2);
  });
});
