// The three machines together, on a little world of objects: deploy, scale, replace, delete,
// restart.
import { describe, expect, it } from 'vitest';
import { conditionStatus, conditionsOf } from '#machines/kubernetes/conditions.ts';
import { at, list } from '#machines/kubernetes/json.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';

const status = (world: World): unknown => world.get('PodCliqueSet', 'demo')?.['status'];

function deployed(replicas: number): World {
  const world = new World();
  world.create(cliqueSet(replicas));
  world.converge();
  return world;
}

describe('a PodCliqueSet', () => {
  it('with 3 replicas converges to 6 ready pods, with no gate and no pod too many', () => {
    const world = deployed(3);
    expect(world.all('Pod')).toHaveLength(6);
    expect(world.podsEver).toHaveLength(6);
    expect(world.all('Pod').every((pod) => at(pod, 'spec', 'schedulingGates') === undefined)).toBe(
      true,
    );
    expect(status(world)).toMatchObject({
      replicas: 3,
      availableReplicas: 3,
      updatedReplicas: 3,
      observedGeneration: 1,
    });
    for (const gang of world.all('PodGang')) {
      expect(conditionStatus(conditionsOf(gang['status']), 'Initialized')).toBe('True');
    }
    for (const clique of world.all('PodClique')) {
      expect(clique['status']).toMatchObject({
        replicas: 2,
        readyReplicas: 2,
        scheduledReplicas: 2,
        scheduleGatedReplicas: 0,
        updatedReplicas: 2,
        observedGeneration: 1,
      });
      expect(conditionStatus(conditionsOf(clique['status']), 'MinAvailableBreached')).toBe('False');
    }
  });

  it('writes each object once, and that each PodGang is initialized and runs', () => {
    const world = deployed(3);
    const many = (op: string, kind: string): number =>
      world.writes.filter((write) => write.op === op && write.ref.kind === kind).length;
    expect(many('create', 'Pod')).toBe(6);
    expect(many('create', 'PodClique')).toBe(3);
    expect(many('create', 'PodGang')).toBe(3);
    expect(many('create', 'Service')).toBe(3);
    expect(many('status', 'PodGang')).toBe(2 * 3);
    expect(many('patch', 'Pod')).toBe(0);
    expect(many('patch', 'PodGang')).toBe(0);
    expect(many('patch', 'PodClique')).toBe(0);
    expect(many('patch', 'Service')).toBe(0);
    expect(many('create', 'Secret')).toBe(1);
    // The finalizer, and the mark of the token Secret.
    expect(many('patch', 'PodCliqueSet')).toBe(2);
  });

  it('that is at rest writes nothing on a restart and when touched', () => {
    const world = deployed(3);
    const before = world.writes.length;
    world.restart();
    world.edit(demoSet, { metadata: { annotations: { 'grove.io/reconcile-trigger': '1' } } });
    world.converge();
    world.pass(3_600_000);
    expect(world.writes.slice(before)).toEqual([]);
  });

  it('loses its highest replicas on scale-in, Services too, and gets them back', () => {
    const world = deployed(5);
    world.edit(demoSet, { spec: { replicas: 2 } });
    world.converge();
    expect(world.all('PodClique').map((one) => one.metadata.name)).toEqual([
      'demo-0-worker',
      'demo-1-worker',
    ]);
    expect(world.all('Service')).toHaveLength(2);
    expect(world.all('PodGang')).toHaveLength(2);
    expect(world.all('Pod')).toHaveLength(4);
    const deleted = world.writes.filter(
      ({ op, ref }) => op === 'delete' && ref.kind === 'PodClique',
    );
    expect(deleted.map(({ ref }) => ref.name)).toEqual([
      'demo-4-worker',
      'demo-3-worker',
      'demo-2-worker',
    ]);
    world.edit(demoSet, { spec: { replicas: 4 } });
    world.converge();
    expect(status(world)).toMatchObject({
      replicas: 4,
      availableReplicas: 4,
      observedGeneration: 3,
    });
  });

  it('that is deleted lets go and leaves nothing behind', () => {
    const world = deployed(3);
    world.remove(demoSet);
    world.converge();
    expect([...world.objects.keys()]).toEqual([]);
  });
});

describe('a PodClique', () => {
  const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;

  it('scaled out and in keeps its PodGang in step', () => {
    const world = deployed(1);
    world.edit(clique, { spec: { replicas: 5 } });
    world.converge();
    expect(world.all('Pod')).toHaveLength(5);
    world.edit(clique, { spec: { replicas: 1 } });
    world.converge();
    const [pod] = world.all('Pod');
    expect(world.all('Pod')).toHaveLength(1);
    const group = list(at(world.get('PodGang', 'demo-0'), 'spec', 'podgroups'))[0];
    expect(list(at(group, 'podReferences'))).toEqual([
      { namespace: 'demo', name: pod?.metadata.name },
    ]);
    expect(world.get('PodClique', 'demo-0-worker')?.['spec']).toMatchObject({ replicas: 1 });
  });

  it('replaces a terminating pod at once, under another name and the same index', () => {
    const world = deployed(1);
    const [first] = world.all('Pod');
    const index = first?.metadata.labels?.['grove.io/podclique-pod-index'];
    world.remove({ kind: 'Pod', namespace: 'demo', name: first?.metadata.name ?? '' });
    world.stabilize();
    const same = world
      .all('Pod')
      .filter((pod) => pod.metadata.labels?.['grove.io/podclique-pod-index'] === index);
    expect(same).toHaveLength(2);
    world.converge();
    expect(world.all('Pod')).toHaveLength(2);
    expect(world.podsEver).toHaveLength(3);
  });

  it('replaces failed pods with growing pauses', () => {
    const world = deployed(1);
    const fail = (): void => {
      const name = world.all('Pod')[0]?.metadata.name ?? '';
      world.setPodStatus(name, { phase: 'Failed', conditions: [] });
      world.converge();
    };
    fail();
    expect(world.podsEver).toHaveLength(3);
    fail();
    expect(world.podsEver).toHaveLength(3);
    world.pass(10_000);
    world.converge();
    expect(world.podsEver).toHaveLength(4);
    fail();
    world.pass(10_000);
    world.converge();
    expect(world.podsEver).toHaveLength(4);
    world.pass(10_000);
    world.converge();
    expect(world.podsEver).toHaveLength(5);
  });

  it('remembers over a restart how often and since when pods have failed', () => {
    const world = deployed(1);
    const end = (): void => {
      const name = world.all('Pod')[0]?.metadata.name ?? '';
      const lastTransitionTime = rfc3339(world.now);
      const conditions = [{ type: 'Ready', status: 'False', lastTransitionTime }];
      world.setPodStatus(name, { phase: 'Failed', conditions });
    };
    const passed = (ms: number): number => {
      world.restart();
      world.pass(ms);
      world.converge();
      return world.podsEver.length;
    };
    end();
    expect(passed(0)).toBe(3);
    end();
    expect(passed(6_000)).toBe(3);
    // Ten seconds after it ended, not after the restart.
    expect(passed(6_000)).toBe(4);
    end();
    expect(passed(15_000)).toBe(4);
    expect(passed(6_000)).toBe(5);
    // After ten good minutes a failure is the first again.
    expect(passed(11 * 60_000)).toBe(5);
    end();
    expect(passed(0)).toBe(6);
  });

  it('gets through although every message is lost until its deadline', () => {
    let isLosing = true;
    const world = new World({ lose: () => isLosing });
    world.create(cliqueSet(1));
    world.converge();
    world.edit(clique, { spec: { replicas: 4 } });
    world.converge();
    expect(world.all('Pod')).toHaveLength(2);
    expect(world.why({ kind: 'podclique', namespace: 'demo', name: clique.name })).toEqual([
      expect.stringMatching(
        /^pod demo-0-worker-\w{5} \(and 1 more\) waits for PodGang demo-0 to list it$/,
      ),
    ]);
    isLosing = false;
    world.pass(5_000);
    world.converge();
    expect(world.all('Pod')).toHaveLength(4);
  });

  it('that names an unknown scheduler gets no pod and says so', () => {
    const world = new World();
    const podSpec = { containers: [], schedulerName: 'nobody' };
    world.create(cliqueSet(1, [{ name: 'worker', podSpec }]));
    world.converge();
    expect(world.all('Pod')).toEqual([]);
    const status = world.get('PodClique', 'demo-0-worker')?.['status'];
    expect(at(list(at(status, 'lastErrors'))[0], 'code')).toBe('ERR_BUILD_POD_RESOURCE');
    expect(at(status, 'observedGeneration')).toBeUndefined();
  });

  it('whose pods are refused says so once and clears it when they are accepted (10.2 gap 13)', () => {
    let isFull = true;
    const world = new World({
      refuse: (op, { kind }) =>
        isFull && op === 'create' && kind === 'Pod' ? 'FORBIDDEN' : undefined,
    });
    world.create(cliqueSet(1));
    world.converge();
    const errors = (): readonly unknown[] =>
      list(at(world.get('PodClique', 'demo-0-worker'), 'status', 'lastErrors'));
    expect(errors().map((error) => at(error, 'code'))).toEqual([
      'ERR_CREATE_POD',
      'ERR_CREATE_POD',
    ]);
    expect(world.events.map(({ reason }) => reason)).toEqual(['PodCreateFailed']);
    isFull = false;
    world.pass(60_000);
    world.converge();
    expect(world.all('Pod')).toHaveLength(2);
    expect(errors()).toEqual([]);
  });

  it('reports that all its scheduled pods were lost, once', () => {
    const world = deployed(1);
    for (const pod of world.all('Pod')) {
      world.setPodStatus(pod.metadata.name, { phase: 'Pending', conditions: [] });
    }
    world.stabilize();
    const told = world.events.filter(({ regarding }) => regarding.kind === 'PodClique');
    expect(told.map(({ reason }) => reason)).toEqual(['AllScheduledReplicasLost']);
  });
});
