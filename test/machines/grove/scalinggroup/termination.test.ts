// Gang termination of replicas of a scaling group (spec controllers 4.3): one alone while the group
// has its minimum without it, the whole replica of the set where it has not.
import { describe, expect, it } from 'vitest';
import { liveWithoutRoom, setImage } from '../rollout/stage.ts';
import { at } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
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
  w2,
  workload,
} from '#test/support/gangs.ts';
import type { World } from '#test/support/world.ts';

const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-x' } as const;
const key = { kind: 'scalinggroup', namespace: 'demo', name: 'demo-0-x' } as const;
const wide = { ...w2, c: 3 };
const ofReplica = (world: World, index: number): readonly string[] =>
  all(world).filter((name) => name.startsWith(`demo-0-x-${index}-`));

describe('A replica of a scaling group in breach', () => {
  it('is made again alone (10.3 W2, 10.1 rule 32)', () => {
    const world = ready(workload(wide));
    const before = uids(world);
    kill(world, 'demo-0-x-1-c');
    expect(world.why(key)[0]).toMatch(
      /^group replica 1 is terminated in 10m0s, at 2026-01-01T00:11:00Z: PodClique demo-0-x-1-c: /,
    );
    world.pass(delayMs - 10_000);
    world.restart();
    world.pass(9_000);
    expect(renewed(world, before)).toEqual([]);
    world.pass(1_000);
    expect(renewed(world, before)).toEqual(ofReplica(world, 1));
    expect(told(world)).toEqual([
      expect.stringMatching(/^Warning GangTerminationPending: PodCliqueScalingGroup demo-0-x/),
      'Normal PodCliqueScalingGroupReplicaDeleteSuccessful: ' +
        'PodCliqueScalingGroup demo-0-x replica 1 deleted',
    ]);
    expect(condition(world, group.kind, group.name, 'GangTerminationInProgress')).toBeUndefined();
    const after = uids(world);
    world.pass(3 * delayMs);
    expect(renewed(world, after)).toEqual([]);
  });

  it('takes the whole replica of the set with it where the group falls below its minimum (10.3 W2)', () => {
    const world = ready(workload(wide));
    const before = uids(world);
    kill(world, 'demo-0-x-1-c');
    world.pass(delayMs / 2);
    kill(world, 'demo-0-x-0-c');
    world.pass(delayMs / 2);
    expect(renewed(world, before)).toEqual([]);
    expect(world.why(key)).toContain(
      'group replica 1 waits for its set: the whole group is in breach or updated',
    );
    world.restart();
    expect(renewed(world, before)).toEqual([]);
    world.pass(delayMs / 2);
    expect(renewed(world, before)).toEqual(all(world));
  });

  it('is made again once another one is sound that kept the set in charge', () => {
    const world = ready(workload(wide));
    const before = uids(world);
    kill(world, 'demo-0-x-1-c');
    world.pass(delayMs / 2);
    const [, lost] = [kill(world, 'demo-0-x-0-b'), uids(world)];
    world.pass(delayMs / 2);
    expect(renewed(world, before)).toEqual([]);
    for (const pod of world.all('Pod')) {
      if (pod.metadata.labels?.['grove.io/podclique'] !== 'demo-0-x-0-b') continue;
      world.edit(
        { kind: 'Pod', namespace: 'demo', name: pod.metadata.name },
        { metadata: {}, spec: { nodeName: 'n', schedulingGates: [] } },
      );
      world.setPodStatus(pod.metadata.name, {
        phase: 'Running',
        conditions: [
          { type: 'PodScheduled', status: 'True' },
          { type: 'Ready', status: 'True' },
        ],
      });
    }
    world.stabilize();
    expect(renewed(world, lost)).toEqual(ofReplica(world, 1));
  });

  it('waits while the group is updated (10.1 rule 33)', () => {
    const world = ready(workload(wide));
    setImage(world, 'busybox:2', 'c');
    const isStuck = ({ metadata }: KubeObject) => metadata.name.startsWith('demo-0-x-1-');
    for (let round = 0; round < 10; round++) liveWithoutRoom(world, isStuck);
    const before = uids(world);
    kill(world, 'demo-0-x-0-c');
    world.pass(2 * delayMs);
    expect(renewed(world, before)).toEqual([]);
    for (let round = 0; round < 10; round++) liveWithoutRoom(world, () => false);
    kill(world, 'demo-0-x-0-c');
    world.pass(delayMs);
    expect(renewed(world, before)).toEqual(ofReplica(world, 0));
  });

  it.each([1, 2, 3, 4, 5, 6])(
    'that a crash ends after %i writes goes on, and takes none twice',
    (many) => {
      for (const name of ['demo-0-x-1-b', 'demo-0-x-1-c']) {
        const world = ready(workload(wide));
        const before = uids(world);
        kill(world, name);
        world.now += delayMs;
        const made = crashAfter(world, many);
        expect(renewed(world, before)).toEqual(ofReplica(world, 1));
        expect(made).toBe(2);
      }
    },
  );

  it('keeps what its PodCliques were scaled to', () => {
    const world = ready(workload(wide));
    world.edit(clique('demo-0-x-1-c'), { spec: { replicas: 5 } });
    world.converge();
    world.pass(60_000);
    const before = uids(world);
    kill(world, 'demo-0-x-1-b');
    world.pass(delayMs);
    expect(renewed(world, before)).toEqual(ofReplica(world, 1));
    expect(at(world.get('PodClique', 'demo-0-x-1-c'), 'spec', 'replicas')).toBe(5);
    expect(world.get(group.kind, group.name)?.metadata.annotations ?? {}).not.toHaveProperty([
      'grove.io/kept-replicas',
    ]);
  });

  it('that is refused is told as such on its group', () => {
    const world = ready(workload(wide));
    kill(world, 'demo-0-x-1-b');
    world.options = { refuse: (op) => (op === 'delete' ? 'FORBIDDEN' : undefined) };
    world.pass(delayMs);
    expect(told(world).at(-1)).toMatch(/^Warning PodCliqueScalingGroupReplicaDeleteFailed: /);
  });
});
