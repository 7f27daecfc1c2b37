// The PodGroup of a scheduler backend in the life of a set: made with the gang, kept as the gang
// is, gone with it or with its scheduler, and what pods do until it is there.
import { describe, expect, it } from 'vitest';
import { reduce, startContext } from '#machines/grove/podgang/context.ts';
import { keepPodGroup } from '#machines/grove/podgang/podgroup.ts';
import { at, isObject, list } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { cliqueSet, demoSet, groupedSet, scheduledBy } from '#test/support/samples.ts';
import { settings, World } from '#test/support/world.ts';
import type { WorldOptions } from '#test/support/world.ts';
import { counts } from '../../written.ts';
import { clique, gang, worldOf } from '../podclique/tree.ts';
import { gang as aGang, there } from '../scheduler/sample.ts';

const queue = 'kai.scheduler/queue';
const gangRef = { kind: 'PodGang', namespace: 'demo', name: 'demo-0' } as const;
const gangKey = { kind: 'podgang', namespace: 'demo', name: 'demo-0' } as const;
const cliqueKey = { kind: 'podclique', namespace: 'demo', name: 'demo-0-worker' } as const;
const groupRef = { kind: 'KaiPodGroup', namespace: 'demo', name: 'demo-0' } as const;

const marked = (set: KubeObject, annotations: Record<string, string>): KubeObject => ({
  ...set,
  metadata: { ...set.metadata, annotations },
});

const kaiSet = (replicas = 1, annotations: Record<string, string> = { [queue]: 'team' }) =>
  scheduledBy(cliqueSet(replicas), 'kai-scheduler', annotations);

function deployed(set: KubeObject, options: WorldOptions = {}): World {
  const world = new World(options);
  world.create(set);
  world.converge();
  return world;
}

const gatesIn = (world: World): unknown[] =>
  world.all('Pod').map((pod) => list(at(pod, 'spec', 'schedulingGates')).length);
const eventsIn = (world: World): unknown[] =>
  world.events.filter(({ severity }) => severity === 'Warning').map(({ reason }) => reason);
const notThere: WorldOptions['refuse'] = (op, { kind }) =>
  op === 'create' && kind === 'KaiPodGroup' ? 'NOT_FOUND' : undefined;

describe('A set for KAI', () => {
  it('has a PodGroup per gang, and pods without a gate: nothing else is written', () => {
    const plain = deployed(cliqueSet(3));
    const world = deployed(kaiSet(3));
    expect(counts(world)).toEqual({ ...counts(plain), 'create KaiPodGroup': 3 });
    expect(gatesIn(world)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(eventsIn(world)).toEqual([]);
  });

  it('of groups has one for base and scaled gangs, that lets in just their PodCliques', () => {
    const world = deployed(scheduledBy(groupedSet(1), 'kai-scheduler', { [queue]: 'team' }));
    const names = world
      .all('KaiPodGroup')
      .map((one) => [
        one.metadata.name,
        list(at(one, 'spec', 'subGroups')).map((group) => at(group, 'name')),
      ]);
    expect(names).toEqual([
      ['demo-0', ['demo-0-worker', 'demo-0-engine-0-leader', 'demo-0-engine-0-hand']],
      ['demo-0-engine-0', ['demo-0-engine-1-leader', 'demo-0-engine-1-hand']],
    ]);
    world.live();
    expect(gatesIn(world).filter((gates) => gates !== 0)).toEqual([]);
  });

  it('goes to the queue that is given on a clique alone (10.2 gap 28)', () => {
    const [one] = list(at(kaiSet(1, {}), 'spec', 'template', 'cliques')).filter(isObject);
    const cliques = [{ ...one, annotations: { [queue]: 'cliques' } }];
    const world = deployed({ ...kaiSet(1, {}), spec: { replicas: 1, template: { cliques } } });
    expect(at(world.get('KaiPodGroup', 'demo-0'), 'spec', 'queue')).toBe('cliques');
    expect(world.get('PodGang', 'demo-0')?.metadata.annotations).toMatchObject({
      [queue]: 'cliques',
      'kai.scheduler/skip-podgrouper': 'true',
    });
  });

  it('without a queue says so once on its gang, holds its pods, and goes on with one', () => {
    const world = deployed(kaiSet(1, {}));
    expect(world.all('Pod')).toEqual([]);
    expect(world.why(cliqueKey)).toEqual([
      expect.stringMatching(/^pod \S+ \(and 1 more\) waits for KaiPodGroup demo-0$/),
    ]);
    world.pass(1_000);
    world.converge();
    expect(gatesIn(world)).toEqual([1, 1]);
    expect(eventsIn(world)).toEqual(['KAIBackendMappingFailed']);
    expect(world.events[0]).toMatchObject({ reporter: 'scheduler-backend', regarding: gangRef });
    expect(world.why(gangKey)[0]).toContain('a queue is needed');
    expect(world.why(cliqueKey)[0]).toContain('until KaiPodGroup demo-0 is there');
    world.edit(demoSet, { metadata: { annotations: { [queue]: 'late' } } });
    world.converge();
    expect(gatesIn(world)).toEqual([0, 0]);
    expect(eventsIn(world)).toEqual(['KAIBackendMappingFailed']);
  });

  it('waits while the CRD is missing, and goes on when it comes', () => {
    const world = deployed(kaiSet(), { refuse: notThere });
    world.pass(1_000);
    world.converge();
    expect(gatesIn(world)).toEqual([1, 1]);
    expect(eventsIn(world)).toEqual(['PodGroupSyncFailed']);
    expect(world.why(gangKey)[0]).toContain('is the CRD of this scheduler installed?');
    world.options = {};
    world.pass(1_000);
    world.converge();
    expect(gatesIn(world)).toEqual([0, 0]);
  });

  it('passes on what changes in the gang, and writes nothing when nothing does', () => {
    const world = deployed(kaiSet());
    world.writes.length = 0;
    world.restart();
    world.converge();
    expect(world.writes).toEqual([]);
    world.edit(demoSet, { metadata: { labels: { team: 'red' } } });
    world.converge();
    expect(counts(world)).toMatchObject({ 'patch PodGang': 1, 'patch KaiPodGroup': 1 });
    expect(world.get('KaiPodGroup', 'demo-0')?.metadata.labels).toMatchObject({ team: 'red' });
  });

  it('has its PodGroup again when somebody deletes or changes it, and no pod is touched', () => {
    const world = deployed(kaiSet());
    world.remove(groupRef);
    world.converge();
    expect(world.get('KaiPodGroup', 'demo-0')).toBeDefined();
    world.edit(groupRef, { spec: { minMember: 1, markUnschedulable: true } });
    world.converge();
    expect(world.get('KaiPodGroup', 'demo-0')?.['spec']).toMatchObject({
      minMember: 2,
      markUnschedulable: true,
    });
    expect(counts(world)).not.toHaveProperty('patch Pod');
  });

  it('leaves alone what belongs to somebody else, and says whose it is', () => {
    const world = new World();
    world.create({
      apiVersion: 'scheduling.run.ai/v2alpha2',
      kind: 'PodGroup',
      metadata: {
        ...groupRef,
        labels: { 'app.kubernetes.io/part-of': 'demo' },
        ownerReferences: [
          { apiVersion: 'batch/v1', kind: 'Job', name: 'theirs', uid: 'x', controller: true },
        ],
      },
    });
    world.create(kaiSet());
    world.stabilize();
    expect(world.why(gangKey)[0]).toContain('KaiPodGroup demo-0 belongs to Job theirs');
    expect(eventsIn(world)).toEqual(['KAIBackendMappingFailed']);
    expect(counts(world)).not.toHaveProperty('patch KaiPodGroup');
  });
});

describe('A gang', () => {
  const names = { 'grove.io/podgang': 'demo-0' };
  const tree = (schedulerName: string) => {
    const one = gang('demo-0', { 'demo-0-a': 1 });
    const labels = { ...one.metadata.labels, 'grove.io/scheduler-name': schedulerName };
    return worldOf([
      clique('demo-0-a', 1, names),
      marked({ ...one, metadata: { ...one.metadata, labels } }, { [queue]: 'team' }),
    ]);
  };

  it('that changes its scheduler loses the PodGroup of the old one and has one of the new (10.2 gap 29)', () => {
    const world = tree('kai-scheduler');
    expect(world.all('KaiPodGroup')).toHaveLength(1);
    world.edit(gangRef, { metadata: { labels: { 'grove.io/scheduler-name': 'volcano' } } });
    world.stabilize();
    expect(world.all('KaiPodGroup')).toEqual([]);
    expect(world.all('VolcanoPodGroup')).toHaveLength(1);
    world.edit(gangRef, { metadata: { labels: { 'grove.io/scheduler-name': 'lpx-scheduler' } } });
    world.stabilize();
    expect(world.all('VolcanoPodGroup')).toEqual([]);
  });

  it('that is being deleted takes its PodGroup along, unless its children are to stay (10.2 gap 29)', () => {
    for (const [propagation, left] of [
      ['Foreground', 0],
      ['Background', 0],
      ['Orphan', 1],
    ] as const) {
      const world = tree('kai-scheduler');
      world.edit(gangRef, { metadata: { finalizers: ['foreign/hold'] } });
      world.remove(gangRef, propagation);
      world.stabilize();
      expect(world.all('KaiPodGroup')).toHaveLength(left);
    }
  });

  it('for another scheduler than its pods lets them go without a PodGroup', () => {
    const world = tree('kai-scheduler');
    expect(gatesIn(world)).toEqual([0]);
  });
});

describe('A patch that the server takes and does not keep', () => {
  const key = { kind: 'podgang', namespace: 'demo', name: 'demo-0' } as const;
  const withLabel = aGang({ labels: { 'grove.io/scheduler-name': 'kai-scheduler' } });
  const shown = (version: string) => ({
    type: 'podGroup.observed' as const,
    observed: there('KaiPodGroup', {
      ...ofOldCrd,
      metadata: { ...ofOldCrd.metadata, resourceVersion: version },
    }),
  });
  const built = keepPodGroup(
    reduce(startContext({ key, root: key, settings }), {
      type: 'gang.observed',
      observed: withLabel,
    }),
    withLabel,
  ).intents.find((intent) => intent.type === 'createObject');
  if (built === undefined) throw new Error('nothing is created');
  const ofOldCrd = { ...built.body, spec: { ...Object(built.body['spec']), subGroups: [{}, {}] } };
  const done = { type: 'effect.done', op: 'patch', ref: groupRef } as const;
  const kinds = ({ intents }: { intents: readonly { type: string }[] }) =>
    intents.map(({ type }) => type);

  it('is not sent again before something changes, and people are told', () => {
    let context = reduce(startContext({ key, root: key, settings }), {
      type: 'gang.observed',
      observed: withLabel,
    });
    context = reduce(context, shown('7'));
    const first = keepPodGroup(context, withLabel);
    expect(kinds(first)).toEqual(['patchObject']);
    // Until it has landed it is wanted again.
    context = { ...context, ...first.changes };
    expect(kinds(keepPodGroup(context, withLabel))).toEqual(['patchObject']);
    context = reduce(context, done);
    const second = keepPodGroup(context, withLabel);
    expect(second.intents).toMatchObject([
      {
        type: 'recordEvent',
        reason: 'KAIBackendMappingFailed',
        note: expect.stringContaining('does not keep spec.subGroups as written'),
      },
    ]);
    context = { ...context, ...second.changes };
    expect(kinds(keepPodGroup(context, withLabel))).toEqual([]);
    expect(kinds(keepPodGroup(reduce(context, shown('8')), withLabel))).toEqual(['patchObject']);
  });

  it('is sent again where it was refused', () => {
    let context = reduce(startContext({ key, root: key, settings }), {
      type: 'gang.observed',
      observed: withLabel,
    });
    context = reduce(context, shown('7'));
    context = { ...context, ...keepPodGroup(context, withLabel).changes };
    const code = 'CONFLICT' as const;
    const failed = { type: 'effect.failed', op: 'patch', ref: groupRef, code } as const;
    context = reduce(context, { ...failed, message: '', now: 0, retryAt: 0 });
    expect(kinds(keepPodGroup(context, withLabel))).toEqual(['patchObject']);
  });
});
