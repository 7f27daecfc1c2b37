// Gang termination of replicas of a set (spec controllers 4.2): what goes when, what never goes,
// and that restarts change nothing about it.
import { describe, expect, it } from 'vitest';
import {
  all,
  clique,
  condition,
  delayMs,
  kill,
  podsOf,
  ready,
  renewed,
  told,
  uids,
  w1,
  w2,
  workload,
} from '#test/support/gangs.ts';
import { cliqueSet } from '#test/support/samples.ts';
import { readyStatus } from '#test/support/world-life.ts';
import { refOf } from '#test/support/world-store.ts';
import { World } from '#test/support/world.ts';

const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-x' } as const;
const mark = (world: World, name: string = group.name): unknown =>
  condition(world, group.kind, name, 'GangTerminationInProgress');

describe('A replica of a set in breach', () => {
  it.each([
    ['a standalone PodClique', 'demo-0-a'],
    ['a member', 'demo-0-x-0-c'],
  ])('by one pod of %s loses all PodCliques after the delay (10.3 W1)', (_, name) => {
    const world = ready(workload(w1));
    const before = uids(world);
    kill(world, name);
    world.pass(delayMs - 1_000);
    expect(renewed(world, before)).toEqual([]);
    world.pass(1_000);
    expect(renewed(world, before)).toEqual(all(world));
    expect(told(world)).toEqual([
      expect.stringMatching(
        /^Warning GangTerminationPending: replica 0 is terminated in 10m0s, at 2026-01-01T00:11:00Z, unless it recovers: /,
      ),
      'Normal PodCliqueSetReplicaDeleteSuccessful: PodCliqueSet replica 0 deleted',
    ]);
  });

  it('bears what its minimums bear (10.3 W2)', () => {
    const world = ready(workload(w2));
    const before = uids(world);
    kill(world, 'demo-0-a');
    world.pass(2 * delayMs);
    expect(renewed(world, before)).toEqual([]);
    expect(told(world)).toEqual([]);
    kill(world, 'demo-0-a', 2);
    world.pass(delayMs);
    expect(renewed(world, before)).toEqual(all(world));
  });

  it('goes for a pod of a PodClique whose minimum is 1', () => {
    const world = ready(
      cliqueSet(1, [{ name: 'a', replicas: 1, minAvailable: 1 }], {
        terminationDelay: '10m',
      }),
    );
    const before = uids(world);
    kill(world, 'demo-0-a');
    world.pass(delayMs);
    expect(renewed(world, before)).toEqual(['demo-0-a']);
  });

  it.each([1_000, 300_000, delayMs - 10_000])(
    'is terminated on the second that was told, after restarts %i ms on',
    (ms) => {
      const world = ready(workload(w1));
      const before = uids(world);
      kill(world, 'demo-0-a');
      world.pass(ms);
      world.restart();
      world.pass(delayMs - ms - 1_000);
      expect(renewed(world, before)).toEqual([]);
      world.pass(1_000);
      expect(renewed(world, before)).toEqual(all(world));
      expect(told(world)).toHaveLength(2);
    },
  );

  it('is terminated ten seconds after its start by a process that starts too late', () => {
    const world = ready(workload(w1));
    const before = uids(world);
    kill(world, 'demo-0-a');
    world.now += 5 * delayMs;
    world.restart();
    world.pass(9_000);
    expect(renewed(world, before)).toEqual([]);
    world.pass(1_000);
    expect(renewed(world, before)).toEqual(all(world));
  });

  it('that recovered while no process ran is left alone', () => {
    const world = ready(workload(w1));
    const before = uids(world);
    kill(world, 'demo-0-a');
    world.options = { refuse: () => 'UNREACHABLE' };
    world.now += 5 * delayMs;
    for (let round = 0; round < 4; round++) world.live();
    world.options = { isSlow: true };
    for (const pod of podsOf(world, 'demo-0-a')) {
      world.edit(refOf(pod), { spec: { nodeName: 'node-1', schedulingGates: [] } });
      world.setPodStatus(pod.metadata.name, { ...readyStatus });
    }
    expect(condition(world, 'PodClique', 'demo-0-a', 'MinAvailableBreached')).toMatchObject({
      status: 'True',
    });
    world.restart();
    world.pass(1_000);
    world.options = {};
    world.land();
    world.pass(60_000);
    expect(renewed(world, before)).toEqual([]);
  });

  it('gets the whole delay again each time that it recovers', () => {
    const world = ready(workload(w1));
    const before = uids(world);
    kill(world, 'demo-0-a');
    world.pass(delayMs - 1_000);
    world.converge();
    expect(world.why(key)).toEqual([expect.stringContaining('nothing is waited for')]);
    kill(world, 'demo-0-a');
    world.pass(delayMs - 1_000);
    expect(renewed(world, before)).toEqual([]);
    world.pass(1_000);
    expect(renewed(world, before)).toEqual(all(world));
  });

  it('is all that goes: another replica and another set stay', () => {
    const world = ready(workload(w1, 2));
    world.create({ ...workload(w1), metadata: { name: 'other', namespace: 'demo' } });
    world.converge();
    world.pass(60_000);
    const before = uids(world);
    kill(world, 'demo-1-a');
    world.pass(delayMs);
    expect(renewed(world, before)).toEqual(all(world).filter((name) => name.startsWith('demo-1-')));
  });

  it('goes by what is there, where a PodClique is missing (10.2 gap 19)', () => {
    const world = ready(workload(w1));
    world.options = {
      refuse: (op, { name }) => (op === 'create' && name === 'demo-0-a' ? 'FORBIDDEN' : undefined),
    };
    kill(world, 'demo-0-x-0-c');
    world.pass(delayMs - 10_000);
    world.remove(clique('demo-0-a'));
    world.stabilize();
    const before = uids(world);
    world.pass(10_000);
    expect(renewed(world, before)).toEqual(all(world));
    expect(all(world)).toHaveLength(4);
  });

  it('tells the cause and the time left, by `why` too', () => {
    const world = ready(workload(w1));
    kill(world, 'demo-0-a');
    world.pass(90_000);
    expect(world.why(key)[0]).toBe(
      'replica 0 is terminated in 8m30s, at 2026-01-01T00:11:00Z: PodClique demo-0-a: ' +
        'Scheduled replicas (1) below MinAvailable (2)',
    );
  });
});

const key = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;

describe('What was never good', () => {
  it('is never recycled, however late its first status is (10.3, 10.1 rules 26, 27)', () => {
    const world = new World({
      refuse: (op, { kind }) => (op === 'create' && kind === 'Pod' ? 'FORBIDDEN' : undefined),
    });
    world.create(workload(w1));
    world.stabilize();
    world.pass(60_000);
    world.options = {};
    world.pass(1_000);
    const before = uids(world);
    for (let round = 0; round < 5; round++) {
      world.pass(delayMs);
      world.restart();
    }
    expect(condition(world, 'PodClique', 'demo-0-a', 'MinAvailableBreached')).toMatchObject({
      status: 'True',
    });
    expect(renewed(world, before)).toEqual([]);
    expect(told(world)).toEqual([]);
  });

  it('is no reason either for a group that was updated meanwhile', () => {
    const world = new World();
    world.create(workload(w1));
    world.stabilize();
    world.pass(60_000);
    const before = uids(world);
    const startedAt = { updateStartedAt: '2026-01-01T00:00:00Z' };
    world.edit(group, { status: { updateProgress: startedAt } });
    world.pass(60_000);
    world.edit(group, { status: { updateProgress: null } });
    world.pass(60_000);
    expect(condition(world, group.kind, group.name, 'MinAvailableBreached')).toMatchObject({
      status: 'True',
    });
    world.pass(2 * delayMs);
    expect(renewed(world, before)).toEqual([]);
  });

  it('since its recycling is not recycled again, nor is a group of it (10.3, 10.1 rule 29)', () => {
    const world = ready(workload(w1));
    kill(world, 'demo-0-x-0-c');
    world.pass(delayMs);
    expect(mark(world)).toMatchObject({ status: 'True', reason: 'GangTerminationActive' });
    const after = uids(world);
    for (let round = 0; round < 5; round++) {
      world.pass(delayMs);
      world.restart();
    }
    expect(renewed(world, after)).toEqual([]);
    expect(world.why(key)).toContainEqual(expect.stringContaining('was terminated and recovers'));
    world.converge();
    expect(mark(world)).toBeUndefined();
    world.pass(60_000);
    kill(world, 'demo-0-x-1-b');
    world.pass(delayMs);
    expect(renewed(world, after)).toEqual(all(world));
  });
});
