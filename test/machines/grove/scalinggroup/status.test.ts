// The status of a PodCliqueScalingGroup (spec controllers 2.2): what counts as scheduled,
// available, updated and in breach, and what is said to whom.
import { describe, expect, it } from 'vitest';
import { readGroup } from '#machines/grove/objects/scalinggroup.ts';
import { urgencyOf } from '#machines/grove/scalinggroup/status.ts';
import { at, isObject, list } from '#machines/kubernetes/json.ts';
import { isMalformed } from '#machines/kubernetes/meta.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { groupedSet } from '#test/support/samples.ts';
import { World } from '#test/support/world.ts';

const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-engine' } as const;
const member = (index: number, name: string) =>
  ({ kind: 'PodClique', namespace: 'demo', name: `demo-0-engine-${index}-${name}` }) as const;

function deployed(options: JsonObject = {}): World {
  const world = new World();
  world.create(groupedSet(1, options));
  world.converge();
  world.events.length = 0;
  return world;
}

const statusOf = (world: World): JsonObject => {
  const status = world.get(group.kind, group.name)?.['status'];
  return isObject(status) ? status : {};
};

const breach = (world: World): readonly unknown[] =>
  list(statusOf(world)['conditions'])
    .filter((one) => at(one, 'type') === 'MinAvailableBreached')
    .map((one) => [at(one, 'status'), at(one, 'reason'), at(one, 'message')])
    .flat();

/** What a member's own actor would write; it is kept from doing so. */
function tell(world: World, ref: ReturnType<typeof member>, status: JsonObject): void {
  world.options = {
    refuse: (op, one) => (op === 'status' && one.name === ref.name ? 'FORBIDDEN' : undefined),
  };
  world.edit(ref, { status });
  world.stabilize();
}

const condition = (type: string, status: string): JsonObject => ({ type, status, reason: 'x' });

describe('the status of a scaling group', () => {
  it('publishes a selector for autoscalers by the label that pods have (10.1 rules 45, 46)', () => {
    const world = deployed();
    expect(statusOf(world)['selector']).toBe(
      'app.kubernetes.io/managed-by=grove-operator,app.kubernetes.io/part-of=demo,grove.io/podcliquescalinggroup=demo-0-engine',
    );
    const selected = world
      .all('Pod')
      .filter(({ metadata }) => metadata.labels?.['grove.io/podcliquescalinggroup'] === group.name);
    expect(selected).toHaveLength(2 * 3);
    expect(world.get('PodClique', 'demo-0-engine-0-hand')?.['status']).not.toHaveProperty(
      'hpaPodSelector',
    );
  });

  it('counts replicas whose members are all scheduled, then ready, then on the template', () => {
    const world = deployed();
    tell(world, member(1, 'hand'), { readyReplicas: 0 });
    expect(statusOf(world)).toMatchObject({
      scheduledReplicas: 2,
      availableReplicas: 1,
      updatedReplicas: 1,
    });
    tell(world, member(1, 'hand'), { conditions: [condition('PodCliqueScheduled', 'False')] });
    expect(statusOf(world)).toMatchObject({ scheduledReplicas: 1, availableReplicas: 1 });
    tell(world, member(0, 'leader'), { currentPodTemplateHash: 'older' });
    expect(statusOf(world)).toMatchObject({ availableReplicas: 1, updatedReplicas: 0 });
  });

  it('counts no member that is going, nor strays of other names and indices (10.1 rule 40)', () => {
    const world = deployed();
    const stray = world.get('PodClique', member(0, 'hand').name);
    if (stray === undefined) throw new Error('no member');
    const { uid: _, ...metadata } = stray.metadata;
    world.create({ ...stray, metadata: { ...metadata, name: 'demo-0-engine-0-foot' } });
    world.create({ ...stray, metadata: { ...metadata, name: 'demo-0-engine-7-hand' } });
    world.stabilize();
    expect(statusOf(world)).toMatchObject({ scheduledReplicas: 2, availableReplicas: 2 });
    world.edit(member(1, 'leader'), {
      metadata: { finalizers: ['somebody/else', 'grove.io/podclique.grove.io'] },
    });
    world.remove(member(1, 'leader'));
    world.stabilize();
    expect(statusOf(world)).toMatchObject({ scheduledReplicas: 1, availableReplicas: 1 });
  });

  it('is in breach by complete replicas that are not in breach themselves (10.1 rule 28)', () => {
    const world = deployed({ minAvailable: 2 });
    expect(breach(world)).toEqual([
      'False',
      'SufficientAvailablePodCliqueScalingGroupReplicas',
      'PCSG replicas not in breach (2) meets MinAvailable (2)',
    ]);
    tell(world, member(0, 'hand'), { conditions: [condition('MinAvailableBreached', 'True')] });
    expect(breach(world)).toEqual([
      'True',
      'InsufficientAvailablePodCliqueScalingGroupReplicas',
      'PCSG replicas not in breach (1) below MinAvailable (2)',
    ]);
    tell(world, member(0, 'hand'), { conditions: [condition('MinAvailableBreached', 'Unknown')] });
    expect(breach(world)[0]).toBe('False');
  });

  it('takes a member that says nothing yet for neither sound nor recovered (10.2 gap 17)', () => {
    const world = new World({
      refuse: (op, { kind }) => (op === 'status' && kind === 'PodClique' ? 'FORBIDDEN' : undefined),
    });
    world.create(groupedSet(1));
    world.stabilize();
    expect(breach(world)[0]).toBe('True');
    const recovered = deployed({ minAvailable: 2 });
    tell(recovered, member(0, 'hand'), { conditions: [] });
    expect(breach(recovered)[0]).toBe('True');
  });

  it('takes an absent minAvailable for 1 (10.1 rule 31)', () => {
    const world = deployed();
    const one = world.get(group.kind, group.name);
    const observed = readGroup({ ...Object(one), spec: { replicas: 2, cliqueNames: [] } });
    expect(isMalformed(observed) ? observed : observed.minAvailable).toBe(1);
  });

  it('tells once when the last scheduled replica is lost (10.1 rule 34)', () => {
    const world = deployed();
    const lost = { conditions: [condition('PodCliqueScheduled', 'False')] };
    world.options = {
      refuse: (op, { kind }) => (op === 'status' && kind === 'PodClique' ? 'FORBIDDEN' : undefined),
    };
    for (const index of [0, 1]) world.edit(member(index, 'hand'), { status: lost });
    world.stabilize();
    world.pass(1_000);
    const told = world.events.filter(({ reason }) => reason === 'AllScheduledReplicasLost');
    expect(told.map(({ severity, regarding }) => [severity, regarding.kind])).toEqual([
      ['Warning', 'PodCliqueScalingGroup'],
    ]);
  });

  it('keeps fields and conditions of others', () => {
    const world = deployed();
    const { conditions } = statusOf(world);
    const theirs = condition('Theirs', 'True');
    world.edit(group, {
      status: { extra: 1, conditions: [...(Array.isArray(conditions) ? conditions : []), theirs] },
    });
    world.stabilize();
    scaleTo(world, 3);
    expect(statusOf(world)).toMatchObject({ extra: 1, availableReplicas: 3 });
    expect(list(statusOf(world)['conditions']).map((one) => at(one, 'type'))).toEqual([
      'MinAvailableBreached',
      'Ready',
      'Theirs',
    ]);
  });

  it('tells of refused members and clears that when they are accepted (10.2 gap 13)', () => {
    const world = new World({
      refuse: (op, { name }) => (op === 'create' && name.endsWith('-hand') ? 'INVALID' : undefined),
    });
    world.create(groupedSet(1));
    world.stabilize();
    expect(statusOf(world)).toMatchObject({
      lastErrors: [{ code: 'ERR_CREATE_PODCLIQUE' }, { code: 'ERR_CREATE_PODCLIQUE' }],
    });
    expect(statusOf(world)).not.toHaveProperty('observedGeneration');
    expect(world.events.map(({ reason }) => reason)).toContain('PodCliqueCreateFailed');
    world.options = {};
    world.pass(60_000);
    world.converge();
    expect(statusOf(world)).not.toHaveProperty('lastErrors');
    expect(statusOf(world)).toMatchObject({ observedGeneration: 1, availableReplicas: 2 });
  });

  it("is urgent where others act on it, and speaks Grove's codes", () => {
    const world = deployed();
    const observed = readGroup(Object(world.get(group.kind, group.name)));
    if (isMalformed(observed)) throw new Error(observed.malformed);
    expect(urgencyOf(observed, { ...observed.status, scheduledReplicas: 1 })).toBe('lazy');
    expect(urgencyOf(observed, { ...observed.status, availableReplicas: 1 })).toBe('lazy');
    expect(urgencyOf(observed, { ...observed.status, availableReplicas: 0 })).toBe('now');
    const updated = { currentPodCliqueSetGenerationHash: 'other' };
    expect(urgencyOf(observed, { ...observed.status, ...updated })).toBe('now');
    expect(urgencyOf(observed, { ...observed.status, ...updated, availableReplicas: 1 })).toBe(
      'lazy',
    );
    const breached = { conditions: [condition('MinAvailableBreached', 'True')] };
    expect(urgencyOf(observed, { ...observed.status, ...breached })).toBe('now');
  });
});

function scaleTo(world: World, replicas: number): void {
  world.edit(group, { spec: { replicas } });
  world.converge();
}
