// What `why` says to somebody who was paged: the object by name, the reason, what would help; what
// is in trouble before what merely waits, and the same thing about many objects once.
import { describe, expect, it } from 'vitest';
import { cliqueSet, demoSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';
import { deployed } from './written.ts';

const setKey = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;
const cliqueKey = { kind: 'podclique', namespace: 'demo', name: 'demo-0-worker' } as const;
const gangKey = { kind: 'podgang', namespace: 'demo', name: 'demo-0' } as const;
const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;
const gang = { kind: 'PodGang', namespace: 'demo', name: 'demo-0' } as const;

const podNames = (world: World): readonly string[] =>
  world.all('Pod').map(({ metadata }) => metadata.name);

describe('why of a PodClique', () => {
  it('says once what several pods wait for, with the scheduler’s name', () => {
    const world = new World();
    const podSpec = { containers: [], schedulerName: 'kai-scheduler' };
    const set = cliqueSet(1, [{ name: 'worker', replicas: 3, podSpec }]);
    const labels = { 'kai.scheduler/queue': 'team' };
    world.create({ ...set, metadata: { ...set.metadata, labels } });
    world.stabilize();
    expect(world.why(cliqueKey)).toEqual([
      expect.stringMatching(
        /^pod \S+ \(and 2 more\) waits for the scheduler kai-scheduler to place it; is that running\?$/,
      ),
    ]);
  });

  it('names pods in trouble first and those that go last', () => {
    const world = deployed(1, [{ name: 'worker', replicas: 3 }]);
    const [going = '', fine = '', sick = ''] = podNames(world).toSorted();
    const waiting = { reason: 'ImagePullBackOff' };
    world.setPodStatus(sick, {
      conditions: [{ type: 'PodScheduled', status: 'True' }],
      containerStatuses: [{ name: 'main', state: { waiting } }],
    });
    world.setPodStatus(fine, { conditions: [{ type: 'PodScheduled', status: 'True' }] });
    const ref = { kind: 'Pod', namespace: 'demo', name: going } as const;
    world.edit(ref, { metadata: { finalizers: ['batch/tracking'] } });
    world.remove(ref);
    world.stabilize();
    const said = world.why(cliqueKey);
    expect(said[0]).toBe(`pod ${sick} container main is waiting: ImagePullBackOff`);
    expect(said).toContain(
      `pod ${fine} is on node node-1 and not ready yet: it starts, or its probe fails`,
    );
    expect(said.at(-1)).toBe(
      `pod ${going} is terminating on node node-1, held by batch/tracking; if it stays it counts as gone in 5m0s, at 2026-01-01T00:05:00Z`,
    );
  });

  it('names a scheduling gate that is not ours', () => {
    const world = new World();
    world.create(cliqueSet(1, [{ name: 'worker', replicas: 1 }]));
    world.stabilize();
    const [name = ''] = podNames(world);
    // As a webhook does it.
    world.edit(
      { kind: 'Pod', namespace: 'demo', name },
      { spec: { schedulingGates: [{ name: 'quota.io/wait' }] } },
    );
    world.stabilize();
    expect(world.why(cliqueKey)).toEqual([
      `pod ${name} is held by the scheduling gate quota.io/wait: whoever set it must take it off`,
    ]);
  });

  it('says who holds the old PodGang that it waits for', () => {
    const world = deployed(1);
    world.edit(gang, { metadata: { finalizers: ['a-scheduler/reserved'] } });
    world.remove(gang);
    world.edit(clique, { spec: { replicas: 3 } });
    world.stabilize();
    expect(world.why(cliqueKey)).toContain(
      'waiting for the old PodGang demo-0 to go, held by a-scheduler/reserved',
    );
    expect(world.why(gangKey)).toEqual([
      'PodGang demo-0 is being deleted; it is held by finalizer a-scheduler/reserved (whoever set it must take it off)',
    ]);
    expect(world.why(setKey)).toContain(
      'waiting for the old PodGang demo-0 to go, held by a-scheduler/reserved',
    );
  });
});

describe('why of a PodCliqueSet', () => {
  it('says what would help where a name is taken', () => {
    const world = new World();
    const metadata = { name: 'demo-0', namespace: 'demo' };
    world.create({ apiVersion: 'v1', kind: 'Service', metadata });
    world.create(cliqueSet(1));
    world.converge();
    expect(world.why(setKey)[0]).toBe(
      'Service demo-0: create failed (ALREADY_EXISTS): exists; ' +
        'the name is held by an object that is not ours: delete or rename it',
    );
  });

  it('that is being deleted says who holds it', () => {
    const world = deployed(1);
    world.remove(demoSet, 'Foreground');
    world.stabilize();
    expect(world.why(setKey)).toEqual([
      'PodCliqueSet demo is being deleted; it is held by foregroundDeletion (the garbage collector waits for its children)',
    ]);
  });

  it('is short however much is wrong', () => {
    const world = new World({ refuse: (op) => (op === 'create' ? 'FORBIDDEN' : undefined) });
    world.create(cliqueSet(500));
    world.stabilize();
    expect(world.why(setKey).length).toBeLessThanOrEqual(10);
  });
});

describe('why of a PodGang', () => {
  it('that is initialized says whose turn it is', () => {
    expect(deployed(1).why(gangKey)).toEqual([
      "PodGang demo-0 is initialized with 2 pods; to place them is the scheduler's part",
    ]);
  });
});
