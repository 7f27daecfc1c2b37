// A termination of a replica of a set on its way: crashes and refusals of its writes, the marks of
// its groups, and what must survive it.
import { describe, expect, it } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import {
  all,
  clique,
  condition,
  crashAfter,
  delayMs,
  kill,
  ready,
  renewed,
  told,
  uids,
  w1,
  w2,
  workload,
} from '#test/support/gangs.ts';
import { demoSet } from '#test/support/samples.ts';
import type { World } from '#test/support/world.ts';

const key = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;
const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-x' } as const;
const mark = (world: World, name: string = group.name): unknown =>
  condition(world, group.kind, name, 'GangTerminationInProgress');

describe('A termination', () => {
  const twoGroups = {
    podCliqueScalingGroups: [
      { name: 'x', cliqueNames: ['b'], replicas: 1, minAvailable: 1 },
      { name: 'y', cliqueNames: ['c'], replicas: 1, minAvailable: 1 },
    ],
  };

  it('marks every scaling group of the replica (10.1 rule 29)', () => {
    const world = ready(workload(w2, 1, twoGroups));
    kill(world, 'demo-0-a', 2);
    world.pass(delayMs);
    for (const name of ['demo-0-x', 'demo-0-y']) {
      expect(mark(world, name)).toMatchObject({ status: 'True' });
    }
  });

  it('is not held up by the mark of another group (10.1 rule 30)', () => {
    const world = ready(workload(w2, 1, twoGroups));
    kill(world, 'demo-0-a', 2);
    world.pass(delayMs);
    const conditions = [
      { type: 'GangTerminationInProgress', status: 'True', reason: 'r', message: '' },
    ];
    world.converge();
    world.pass(60_000);
    kill(world, 'demo-0-x-0-b');
    world.edit(group, { status: { conditions } });
    kill(world, 'demo-0-y-0-c', 3);
    const before = uids(world);
    world.pass(delayMs);
    expect(renewed(world, before)).toEqual(all(world));
  });

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])(
    'that a crash ends after %i writes goes on, and takes none twice (10.2 gap 18)',
    (many) => {
      for (const name of ['demo-0-a', 'demo-0-x-1-c']) {
        const world = ready(workload(w1));
        const before = uids(world);
        kill(world, name);
        world.now += delayMs;
        const made = crashAfter(world, many);
        const after = uids(world);
        expect(renewed(world, before)).toEqual(all(world));
        expect(made).toBe(before.size);
        world.pass(delayMs + 5_000);
        world.restart();
        world.pass(delayMs + 5_000);
        expect([name, renewed(world, after)]).toEqual([name, []]);
      }
    },
  );

  it('that is refused is told as such, tried again, and ends', () => {
    const world = ready(workload(w1));
    const before = uids(world);
    kill(world, 'demo-0-a');
    world.options = {
      refuse: (op, { name }) =>
        op === 'delete' && name === 'demo-0-x-0-b' ? 'FORBIDDEN' : undefined,
    };
    world.pass(delayMs);
    expect(told(world).at(-1)).toMatch(/^Warning PodCliqueSetReplicaDeleteFailed: /);
    expect(at(world.get('PodCliqueSet', 'demo'), 'status', 'lastErrors')).toMatchObject([
      { code: 'ERR_DELETE_PCS_REPLICA' },
    ]);
    expect(world.why(key)).toContainEqual(
      'replica 0 is being terminated: waiting for the deletion of PodCliques demo-0-a, demo-0-x-0-b',
    );
    world.options = {};
    world.pass(1_000);
    expect(renewed(world, before)).toEqual(all(world));
  });

  it('keeps what PodCliques were scaled to, over a restart, and forgets it then', () => {
    const world = ready(workload(w1));
    world.edit(clique('demo-0-a'), { spec: { replicas: 5 } });
    world.edit(clique('demo-0-x-1-c'), { spec: { replicas: 4 } });
    world.converge();
    world.pass(60_000);
    const before = uids(world);
    kill(world, 'demo-0-x-0-b');
    world.now += delayMs;
    world.options = { refuse: (op) => (op === 'create' ? 'FORBIDDEN' : undefined) };
    world.pass(0);
    expect(all(world)).toEqual([]);
    world.options = {};
    world.restart();
    expect(renewed(world, before)).toEqual(all(world));
    expect(at(world.get('PodClique', 'demo-0-a'), 'spec', 'replicas')).toBe(5);
    expect(at(world.get('PodClique', 'demo-0-x-1-c'), 'spec', 'replicas')).toBe(4);
    expect(at(world.get('PodClique', 'demo-0-x-0-c'), 'spec', 'replicas')).toBe(3);
    world.converge();
    for (const { metadata } of [...world.all('PodCliqueSet'), ...world.all(group.kind)]) {
      expect(metadata.annotations?.['grove.io/kept-replicas']).toBeUndefined();
    }
  });

  it('writes no note where nothing was scaled', () => {
    const world = ready(workload(w1));
    kill(world, 'demo-0-a');
    world.writes.length = 0;
    world.pass(delayMs);
    const patched = world.writes.filter(({ op }) => op === 'patch').map(({ ref }) => ref.kind);
    expect(patched).not.toContain('PodCliqueSet');
    expect(patched).not.toContain('PodCliqueScalingGroup');
  });

  it('does not wait while the delay is cut short, and waits for one that was made longer', () => {
    const world = ready(workload(w1));
    const before = uids(world);
    kill(world, 'demo-0-a');
    world.edit(demoSet, { spec: { template: { terminationDelay: '1h' } } });
    world.pass(2 * delayMs);
    expect(renewed(world, before)).toEqual([]);
    world.edit(demoSet, { spec: { template: { terminationDelay: '1m' } } });
    world.stabilize();
    expect(renewed(world, before)).toEqual(all(world));
  });
});
