// Every state of every chart is reached by some history, and each has an exit or is final. What the
// states are for is in docs/architecture.md.
import { describe, expect, it } from 'vitest';
import type { ActorKind } from '#machines/kinds.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { leavesIn, leavesOf } from '#test/support/chart-states.ts';
import { allBehaviours } from '#test/support/modules.ts';
import { cliqueSet, demoSet, groupedSet } from '#test/support/samples.ts';
import { aware, fabric, placedSet, zone } from '#test/support/topology.ts';
import { refOf } from '#test/support/world-store.ts';
import { revisionHistories } from './activator/histories.ts';
import { claimHistories } from './agentsandbox/claim/histories.ts';
import { sandboxHistories } from './agentsandbox/sandbox/histories.ts';
import { poolHistories } from './agentsandbox/warmpool/histories.ts';
import { leftByGrove } from './grove/rollout/grove.ts';
import { setImage } from './grove/rollout/stage.ts';
import { cliqueHistories } from './nvidia/clique/histories.ts';
import { nvidiaHistories } from './nvidia/histories.ts';
import { World } from '#test/support/world.ts';
import type { WorldOptions } from '#test/support/world.ts';

const entered = new Map<string, Set<string>>();

function trace(kind: ActorKind, value: unknown): void {
  const names = entered.get(kind) ?? new Set();
  for (const leaf of leavesIn(value)) names.add(leaf);
  entered.set(kind, names);
}

const clique = { kind: 'PodClique', namespace: 'demo', name: 'demo-0-worker' } as const;
const group = { kind: 'PodCliqueScalingGroup', namespace: 'demo', name: 'demo-0-engine' } as const;
const gang = { kind: 'PodGang', namespace: 'demo', name: 'demo-0' } as const;
const racks = { kind: 'ClusterTopologyBinding', namespace: '', name: 'racks' } as const;
const topology = { kind: 'Topology', namespace: '', name: 'racks' } as const;

function deployed(): World {
  const world = new World({ trace });
  world.create(groupedSet(1));
  world.converge();
  return world;
}

/** Pods go, and no new one is placed. */
function loseAllPods(world: World): void {
  for (const pod of world.all('Pod')) world.remove(refOf(pod));
  world.stabilize();
  for (const pod of world.all('Pod')) world.drop(refOf(pod));
  world.stabilize();
}

function loseReadiness(world: World): void {
  for (const { metadata } of world.all('Pod')) {
    world.setPodStatus(metadata.name, {
      conditions: [{ type: 'PodScheduled', status: 'True' }],
      containerStatuses: [{ name: 'main', started: true, ready: false }],
    });
  }
  world.stabilize();
}

function placed(objects: readonly KubeObject[], options: WorldOptions = aware): void {
  const world = new World({ ...options, trace });
  for (const one of objects) world.create(one);
  world.converge();
}

const binding = (externals: readonly object[] = []) => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'ClusterTopologyBinding',
  metadata: { name: 'racks' },
  spec: {
    levels: [{ domain: 'rack', key: 'topology.kubernetes.io/rack' }],
    schedulerTopologyBindings: [...externals],
  },
});

const histories: Record<string, () => void> = {
  'a deploy, and its deletion': () => {
    const world = deployed();
    world.edit(gang, { metadata: { finalizers: ['a-scheduler'] } });
    world.remove(demoSet);
    world.converge();
    world.edit(gang, { metadata: { finalizers: [] } });
    world.converge();
  },
  'pods that are lost': () => loseAllPods(deployed()),
  'a gang that is terminated, and is not sound again': () => {
    const world = deployed();
    world.pass(60_000);
    loseAllPods(world);
    world.pass(4 * 3_600_000);
  },
  'pods that are no more ready': () => loseReadiness(deployed()),
  'an update that is paused for a while': () => {
    const world = new World({ trace });
    world.create(groupedSet(2));
    world.converge();
    world.edit(demoSet, { metadata: { annotations: { 'grove.io/pause-update': 'true' } } });
    setImage(world, 'busybox:2');
    world.edit(demoSet, { metadata: { annotations: { 'grove.io/pause-update': null } } });
    world.converge(60);
  },
  'a set that another controller looked after': () => {
    const world = deployed();
    leftByGrove(world);
    const isSet = (kind: string): boolean => kind === 'PodCliqueSet';
    world.options = { trace, refuse: (_, { kind }) => (isSet(kind) ? 'FORBIDDEN' : undefined) };
    world.restart();
  },
  'a pod more than the minimum that is no more ready': () => {
    const world = deployed();
    const hand = world.all('Pod').find(({ metadata }) => metadata.name.includes('-hand-'));
    world.setPodStatus(hand?.metadata.name ?? '', { conditions: [] });
    world.stabilize();
  },
  'a new template where pods are updated on deletion': () => {
    const world = deployed();
    const template = { priorityClassName: 'high' };
    world.edit(demoSet, { spec: { updateStrategy: { type: 'OnDelete' }, template } });
    world.stabilize();
    for (const pod of world.all('Pod')) world.remove(refOf(pod));
    world.stabilize();
  },
  'specs that nothing can be made from': () => {
    const world = deployed();
    world.edit(clique, { spec: { podSpec: { schedulerName: 'nobody' } } });
    world.edit(group, { spec: { replicas: 1_000_000 } });
    world.edit(demoSet, { spec: { replicas: 1_000_000 } });
    world.stabilize();
  },
  'a group whose set is not there': () => {
    const world = deployed();
    world.edit(demoSet, { metadata: { finalizers: [] } });
    world.drop(demoSet);
    world.stabilize();
  },
  'a binding from its first topology to its deletion': () => {
    const world = new World({ trace });
    world.create(binding());
    world.converge();
    world.edit(racks, { metadata: { finalizers: ['somebody'] } });
    world.remove(racks);
    world.converge();
    world.edit(racks, { metadata: { finalizers: [] } });
    world.converge();
  },
  'a binding whose topology is others': () => {
    const world = new World({ trace });
    world.create(binding([{ schedulerName: 'kai-scheduler', topologyReference: 'theirs' }]));
    world.converge();
  },
  'a binding of a backend that is not there': () => {
    const world = new World({ trace });
    world.create(binding([{ schedulerName: 'another', topologyReference: 'theirs' }]));
    world.converge();
  },
  'a binding without a backend': () => {
    const world = new World({ trace, settings: { schedulerNames: ['default-scheduler'] } });
    world.create(binding());
    world.converge();
    world.create({
      apiVersion: 'kai.scheduler/v1alpha1',
      kind: 'Topology',
      metadata: { name: topology.name },
      spec: { levels: [] },
    });
    world.converge();
  },
  'a set whose topology constraints stand in every way': () => {
    placed([fabric(), placedSet()], {});
    placed([placedSet()], {});
    placed([placedSet({})]);
    placed([placedSet()]);
    placed([fabric([zone]), placedSet()]);
    placed([fabric(), placedSet()]);
    placed([placedSet({ set: { pack: { required: 'rack' } } })]);
  },
  'pods that are refused': () => {
    const refuse = (op: string, { kind }: { readonly kind: string }) =>
      op === 'create' && kind === 'Pod' ? 'FORBIDDEN' : undefined;
    const world = new World({ trace, refuse });
    world.create(cliqueSet(1));
    world.stabilize();
  },
  'a small set': () => {
    const world = new World({ trace });
    world.create(cliqueSet(1));
    world.converge();
  },
};

const ofModules = {
  ...nvidiaHistories,
  ...cliqueHistories,
  ...sandboxHistories,
  ...poolHistories,
  ...claimHistories,
  ...revisionHistories,
};
for (const [name, run] of Object.entries(ofModules)) histories[name] = () => run(trace);

describe('The charts', () => {
  it('have no state that nothing depends on', () => {
    for (const { kind, uses } of allBehaviours) {
      const idle = [...uses].filter(([, dependents]) => dependents.length === 0);
      expect([kind, idle.map(([name]) => name)]).toEqual([kind, []]);
    }
  });

  for (const [name, run] of Object.entries(histories)) {
    it(`take ${name}`, () => expect(run).not.toThrow());
  }

  for (const { kind, machine } of allBehaviours) {
    it(`of a ${kind} are seen in every state`, () => {
      const unseen = leavesOf(machine).filter((leaf) => entered.get(kind)?.has(leaf) !== true);
      expect(unseen).toEqual([]);
    });
  }
});
