// What each scheduler backend wants of pods, PodGangs and PodGroups (spec controllers 8.4).
import { describe, expect, it } from 'vitest';
import type { ObservedGang } from '#machines/grove/objects/podgang.ts';
import { backendNamed, backendOfGang, backends } from '#machines/grove/scheduler/backends.ts';
import { kai } from '#machines/grove/scheduler/kai.ts';
import { volcano } from '#machines/grove/scheduler/volcano.ts';
import { schedulerNames } from '#src/config/admission.ts';
import { entry, gang, kaiQueue, there, volcanoQueue } from './sample.ts';

const place = { clique: 'demo-0-a', gang: 'demo-0' };
const none = { labels: {}, annotations: {} };
const inLabel = (queue: string) => ({ labels: { [kaiQueue]: queue }, annotations: {} });
const inNote = (key: string, queue: string) => ({ labels: {}, annotations: { [key]: queue } });

const ofKai = (one: ObservedGang, spec?: object) =>
  kai.podGroups?.desired(one, spec === undefined ? undefined : kaiGroup(spec));
const ofVolcano = (one: ObservedGang, spec?: object) =>
  volcano.podGroups?.desired(one, spec === undefined ? undefined : volcanoGroup(spec));

const kaiGroup = (more: object, labels = {}) =>
  there('KaiPodGroup', {
    apiVersion: 'scheduling.run.ai/v2alpha2',
    kind: 'PodGroup',
    metadata: { name: 'demo-0', namespace: 'demo', labels },
    spec: more,
  });
const volcanoGroup = (more: object) =>
  there('VolcanoPodGroup', {
    apiVersion: 'scheduling.volcano.sh/v1beta1',
    kind: 'PodGroup',
    metadata: { name: 'demo-0', namespace: 'demo' },
    spec: more,
  });

describe('The scheduler backends', () => {
  it('are those that a configuration may enable', () => {
    expect(backends.map(({ name }) => name).toSorted()).toEqual([...schedulerNames].toSorted());
  });

  it('are found for a gang by its label, else by the default, else not at all', () => {
    const enabled = {
      defaultSchedulerName: 'volcano',
      schedulerNames: ['volcano', 'kai-scheduler'],
    };
    const named = (name: string) => gang({ labels: { 'grove.io/scheduler-name': name } });
    expect(backendOfGang(named('kai-scheduler'), enabled)?.name).toBe('kai-scheduler');
    expect(backendOfGang(named('lpx-scheduler'), enabled)?.name).toBe('volcano');
    expect(backendOfGang(gang(), { defaultSchedulerName: 'other', schedulerNames: [] })).toBe(
      undefined,
    );
  });

  it('mark pods with what their scheduler looks for', () => {
    expect(backendNamed('default-scheduler')?.podMarks(place)).toEqual(none);
    expect(backendNamed('lpx-scheduler')?.podMarks(place)).toEqual(none);
    expect(kai.podMarks(place)).toEqual({
      labels: { 'kai.scheduler/subgroup-name': 'demo-0-a' },
      annotations: { 'kai.scheduler/skip-podgrouper': 'true', 'pod-group-name': 'demo-0' },
    });
    expect(volcano.podMarks(place)).toEqual({
      labels: {},
      annotations: {
        'scheduling.volcano.sh/group-name': 'demo-0',
        'scheduling.k8s.io/group-name': 'demo-0',
      },
    });
  });
});

describe('A PodGang for KAI', () => {
  const skip = { 'kai.scheduler/skip-podgrouper': 'true' };

  it.each([
    [
      'of the set, its label before its annotation',
      { labels: { [kaiQueue]: 'l' }, annotations: { [kaiQueue]: 'n' } },
      [none],
      'l',
    ],
    ['given on one clique alone (10.2 gap 28)', none, [none, inNote(kaiQueue, 'team')], 'team'],
    ['that all name', inLabel('team'), [inNote(kaiQueue, 'team')], 'team'],
    ['that nobody names', none, [none], undefined],
    ['that they do not agree on', inLabel('team'), [inLabel('other')], 'team, other'],
  ])('says the queue %s', (_title, set, cliques, queue) => {
    const marks = kai.gangMarks({ ...set, cliques });
    expect(marks).toEqual(queue === undefined ? skip : { ...skip, [kaiQueue]: queue });
  });

  it('has a PodGroup with its minimum, its queue and a sub-group for each PodClique', () => {
    const one = gang({ labels: { team: 'blue' }, annotations: { note: 'x' } });
    expect(ofKai(one)).toEqual({
      labels: one.labels,
      annotations: one.annotations,
      spec: {
        queue: 'team',
        minMember: 5,
        priorityClassName: null,
        topologyConstraint: null,
        subGroups: [
          { name: 'demo-0-a', minMember: 2, topologyConstraint: null, parent: null },
          { name: 'demo-0-b', minMember: 3, topologyConstraint: null, parent: null },
        ],
      },
    });
  });

  it('has a sub-group for each combination with members, the parent of theirs', () => {
    const one = gang({
      annotations: { 'grove.io/topology-name': 'dc', 'kai.scheduler/topology': 'other' },
      spec: {
        podgroups: [
          entry('demo-0-a', 1, { preferred: 'host' }),
          entry('demo-0-x-0-b', 2),
          entry('demo-0-x-0-c', 1),
        ],
        topologyConstraint: { packConstraint: { required: 'zone', preferred: 'rack' } },
        topologyConstraintGroupConfigs: [
          {
            name: 'demo-0-x-0',
            podGroupNames: ['demo-0-x-0-b', 'demo-0-x-0-c'],
            topologyConstraint: { packConstraint: { required: 'rack' } },
          },
          { name: 'demo-0-y-0', podGroupNames: [] },
        ],
      },
    });
    const level = (required: string | null, preferred: string | null) => ({
      topology: 'dc',
      requiredTopologyLevel: required,
      preferredTopologyLevel: preferred,
    });
    expect(ofKai(one)).toMatchObject({
      spec: {
        topologyConstraint: level('zone', 'rack'),
        subGroups: [
          { name: 'demo-0-x-0', minSubGroup: 2, topologyConstraint: level('rack', null) },
          { name: 'demo-0-a', minMember: 1, topologyConstraint: level(null, 'host'), parent: null },
          { name: 'demo-0-x-0-b', minMember: 2, topologyConstraint: null, parent: 'demo-0-x-0' },
          { name: 'demo-0-x-0-c', minMember: 1, topologyConstraint: null, parent: 'demo-0-x-0' },
        ],
      },
    });
  });

  it('takes the topology that somebody else named where none of ours is', () => {
    const one = gang({
      annotations: { 'kai.scheduler/topology': 'theirs' },
      spec: { topologyConstraint: { packConstraint: { required: 'zone' } } },
    });
    expect(ofKai(one)).toMatchObject({ spec: { topologyConstraint: { topology: 'theirs' } } });
  });

  it('leaves queue and node pool to whoever changed them on the PodGroup', () => {
    const labels = { 'kai.scheduler/node-pool': 'gold', [kaiQueue]: 'moved', mine: 'x' };
    const desired = kai.podGroups?.desired(gang(), kaiGroup({ queue: 'moved' }, labels));
    expect(desired).toMatchObject({
      labels: { 'kai.scheduler/node-pool': 'gold', [kaiQueue]: 'moved' },
      spec: { queue: 'moved' },
    });
    expect(desired).not.toHaveProperty(['labels', 'mine']);
  });

  it.each([
    ['no queue', gang({ annotations: { [kaiQueue]: '' } }), /a queue is needed/],
    [
      'several queues',
      gang({ annotations: { [kaiQueue]: 'a, b' } }),
      /one queue in .*, and they name a, b$/,
    ],
    [
      'a constraint and no topology',
      gang({ spec: { podgroups: [entry('demo-0-a', 1, { required: 'rack' })] } }),
      /does not say of which topology/,
    ],
    [
      'two sub-groups of one name',
      gang({
        spec: {
          podgroups: [entry('demo-0-x-0', 1)],
          topologyConstraintGroupConfigs: [{ name: 'demo-0-x-0', podGroupNames: ['demo-0-x-0'] }],
        },
      }),
      /two sub-groups would have the name "demo-0-x-0"/,
    ],
  ])('has none where it has %s', (_title, one, why) => {
    expect(ofKai(one)).toEqual({ problem: expect.stringMatching(why) });
  });

  it('lets in the PodCliques of sub-groups, not the combinations', () => {
    const subGroups = [{ name: 'x' }, { name: 'a', parent: 'x' }, { name: 'b' }];
    expect(kai.podGroups?.cliquesIn({ subGroups })).toEqual(['a', 'b']);
  });
});

describe('A PodGang for Volcano', () => {
  it.each([
    ['that the set names', inNote(volcanoQueue, ' team '), [none, none], 'team'],
    ['given on cliques alone (10.2 gap 28)', none, [inNote(volcanoQueue, 'team')], 'team'],
    ['by default without a word', none, [none, none], undefined],
    ['that only some cliques name', none, [inNote(volcanoQueue, 'team'), none], 'team, default'],
    [
      'that a clique contradicts',
      inNote(volcanoQueue, 'team'),
      [inNote(volcanoQueue, 'b')],
      'team, b',
    ],
  ])('says the queue %s', (_title, set, cliques, queue) => {
    const marks = volcano.gangMarks({ ...set, cliques });
    expect(marks).toEqual(queue === undefined ? {} : { [volcanoQueue]: queue });
  });

  it('has a PodGroup with its minimum and a policy for each PodClique, and no annotation of it', () => {
    const one = gang({ annotations: { note: 'x' }, spec: { priorityClassName: 'high' } });
    const policy = (name: string, subGroupSize: number) => ({
      name,
      labelSelector: { matchLabels: { 'grove.io/podclique': name } },
      matchLabelKeys: ['grove.io/podclique'],
      subGroupSize,
      minSubGroups: 1,
    });
    expect(ofVolcano(one)).toEqual({
      labels: one.labels,
      annotations: {},
      spec: {
        queue: 'default',
        priorityClassName: 'high',
        minMember: 5,
        subGroupPolicy: [policy('demo-0-a', 2), policy('demo-0-b', 3)],
      },
    });
  });

  it('keeps its minimums when all are released, and has at least one before', () => {
    const released = gang({ spec: { podgroups: [entry('demo-0-a', 0)] } });
    expect(ofVolcano(released, { minMember: 4 })).toMatchObject({ spec: { queue: 'default' } });
    expect(ofVolcano(released, { minMember: 4 })).not.toHaveProperty('spec.minMember');
    expect(ofVolcano(released, {})).toMatchObject({
      spec: { minMember: 1, subGroupPolicy: [{ subGroupSize: 1 }] },
    });
  });

  it.each(['a, b', '-', 'A'])('has none where its queue is said to be "%s"', (said) => {
    const one = gang({ annotations: { [volcanoQueue]: said } });
    expect(ofVolcano(one)).toEqual({ problem: expect.stringContaining(said) });
  });
});
