// A ClusterTopologyBinding: the topologies that it keeps, those that it compares, and what it says.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import { World } from '#test/support/world.ts';
import type { WorldOptions } from '#test/support/world.ts';

const rack = { domain: 'rack', key: 'example.com/rack' };
const zone = { domain: 'zone', key: 'topology.kubernetes.io/zone' };

const bindingRef = { kind: 'ClusterTopologyBinding', namespace: '', name: 'dc' } as const;
const topologyRef = { kind: 'Topology', namespace: '', name: 'dc' } as const;

const binding = (
  levels: readonly object[],
  externals: readonly [scheduler: string, reference: string][] = [],
): KubeObject => ({
  apiVersion: 'grove.io/v1alpha1',
  kind: 'ClusterTopologyBinding',
  metadata: { name: 'dc' },
  spec: {
    levels,
    schedulerTopologyBindings: externals.map(([schedulerName, topologyReference]) => ({
      schedulerName,
      topologyReference,
    })),
  },
});

const topology = (name: string, keys: readonly string[]): KubeObject => ({
  apiVersion: 'kai.scheduler/v1alpha1',
  kind: 'Topology',
  metadata: { name },
  spec: { levels: keys.map((nodeLabel) => ({ nodeLabel })) },
});

function deployed(one: KubeObject, options: WorldOptions = {}, others: KubeObject[] = []): World {
  const world = new World(options);
  for (const other of others) world.create(other);
  world.create(one);
  world.converge();
  return world;
}

const statusOf = (world: World): unknown => world.get('ClusterTopologyBinding', 'dc')?.['status'];
const keysIn = (world: World, name = 'dc'): unknown[] =>
  list(at(world.get('Topology', name), 'spec', 'levels')).map((level) => at(level, 'nodeLabel'));
const driftIn = (world: World): unknown =>
  list(at(statusOf(world), 'conditions')).map((one) => [at(one, 'status'), at(one, 'reason')]);
const said = (world: World): string[] => world.events.map(({ reason }) => reason);

describe('A binding that nobody else looks after', () => {
  it('has a KAI Topology with its keys in order, owned by it, and says so once', () => {
    const world = deployed(binding([zone, rack]));
    expect(keysIn(world)).toEqual([zone.key, rack.key]);
    const uid = world.get('ClusterTopologyBinding', 'dc')?.metadata.uid;
    expect(world.get('Topology', 'dc')?.metadata.ownerReferences).toMatchObject([
      { kind: 'ClusterTopologyBinding', name: 'dc', uid, controller: true },
    ]);
    expect(statusOf(world)).toMatchObject({
      observedGeneration: 1,
      schedulerTopologyStatuses: [
        { schedulerName: 'kai-scheduler', topologyReference: 'dc', inSync: true },
      ],
    });
    expect(driftIn(world)).toEqual([['False', 'InSync']]);
    expect(said(world)).toEqual(['TopologyInSync']);
    expect(world.writes.map(({ op }) => op)).toEqual(['create', 'status']);
  });

  it('has another Topology in its place when its levels change, as those never do', () => {
    const world = deployed(binding([zone, rack]));
    const before = world.get('Topology', 'dc')?.metadata.uid;
    world.edit(bindingRef, { spec: { levels: [zone] } });
    world.converge();
    expect(keysIn(world)).toEqual([zone.key]);
    expect(world.get('Topology', 'dc')?.metadata.uid).not.toBe(before);
    expect(statusOf(world)).toMatchObject({ observedGeneration: 2 });
    expect(said(world)).toEqual(['TopologyInSync']);
  });

  it('makes a Topology again that somebody deleted', () => {
    const world = deployed(binding([zone]));
    world.remove(topologyRef);
    world.converge();
    expect(keysIn(world)).toEqual([zone.key]);
  });

  it('leaves a Topology alone that is not its own, and says that it drifted', () => {
    const world = deployed(binding([zone]), {}, [topology('dc', [rack.key])]);
    expect(keysIn(world)).toEqual([rack.key]);
    expect(driftIn(world)).toEqual([['True', 'Drift']]);
    expect(at(statusOf(world), 'observedGeneration')).toBeUndefined();
    expect(said(world)).toEqual(['TopologyDriftDetected']);
    expect(world.why({ kind: 'topologybinding', namespace: '', name: 'dc' })).toEqual([
      'kai-scheduler: KAI Topology "dc" exists and is not controlled by this binding',
    ]);
    world.drop(topologyRef);
    world.converge();
    expect(driftIn(world)).toEqual([['False', 'InSync']]);
    expect(said(world)).toEqual(['TopologyDriftDetected', 'TopologyInSync']);
  });

  it('says what was refused, and that its generation was not observed', () => {
    const world = deployed(binding([zone]), {
      refuse: (op, { kind }) => (op === 'create' && kind === 'Topology' ? 'FORBIDDEN' : undefined),
    });
    expect(driftIn(world)).toEqual([['True', 'Drift']]);
    expect(at(statusOf(world), 'observedGeneration')).toBeUndefined();
    expect(at(list(at(statusOf(world), 'schedulerTopologyStatuses'))[0], 'message')).toBeTruthy();
    world.options = {};
    world.pass(120_000);
    world.converge();
    expect(driftIn(world)).toEqual([['False', 'InSync']]);
  });
});

describe('A binding that somebody else looks after', () => {
  const external = binding([zone], [['kai-scheduler', 'theirs']]);

  it('writes no Topology, compares, and names the generation that it compared', () => {
    const world = deployed(external, {}, [topology('theirs', [zone.key])]);
    expect(world.writes.map(({ op }) => op)).toEqual(['status']);
    expect(statusOf(world)).toMatchObject({
      observedGeneration: 1,
      schedulerTopologyStatuses: [
        {
          schedulerName: 'kai-scheduler',
          topologyReference: 'theirs',
          inSync: true,
          schedulerBackendTopologyObservedGeneration: 1,
        },
      ],
    });
    world.edit({ ...topologyRef, name: 'theirs' }, { spec: { levels: [] } });
    world.converge();
    expect(driftIn(world)).toEqual([['True', 'Drift']]);
    expect(said(world)).toEqual(['TopologyInSync', 'TopologyDriftDetected']);
  });

  it('says that the Topology is not found, until it comes', () => {
    const world = deployed(external);
    expect(statusOf(world)).toMatchObject({
      schedulerTopologyStatuses: [
        {
          inSync: false,
          message: 'KAI Topology "theirs" not found',
          schedulerBackendTopologyObservedGeneration: 0,
        },
      ],
    });
    world.create(topology('theirs', [zone.key]));
    world.converge();
    expect(driftIn(world)).toEqual([['False', 'InSync']]);
  });

  it('is Unknown, without an Event, where the backend is not there', () => {
    const world = deployed(binding([zone], [['volcano', 'x']]));
    expect(driftIn(world)).toEqual([['Unknown', 'TopologyNotFound']]);
    expect(said(world)).toEqual([]);
    expect(list(at(statusOf(world), 'schedulerTopologyStatuses'))[1]).toEqual({
      schedulerName: 'volcano',
      topologyReference: 'x',
      inSync: false,
      message: 'scheduler backend "volcano" is not available for topology management',
    });
  });
});

describe('Any binding', () => {
  it('says anew what it finds after nobody could say', () => {
    const world = deployed(binding([zone]));
    const edit = (externals: Parameters<typeof binding>[1]): void => {
      world.edit(bindingRef, { spec: binding([zone], externals)['spec'] as JsonObject });
      world.converge();
    };
    edit([['volcano', 'x']]);
    expect(driftIn(world)).toEqual([['Unknown', 'TopologyNotFound']]);
    expect(said(world)).toEqual(['TopologyInSync']);
    edit([]);
    expect(driftIn(world)).toEqual([['False', 'InSync']]);
    expect(said(world)).toEqual(['TopologyInSync', 'TopologyInSync']);
  });

  it('tells nothing anew after a restart, and writes nothing', () => {
    const world = deployed(binding([zone, rack]));
    const writes = world.writes.length;
    world.restart();
    world.converge();
    expect(world.writes).toHaveLength(writes);
    expect(said(world)).toEqual(['TopologyInSync']);
  });

  it('keeps the conditions of others and fields that it does not know', () => {
    const foreign = { type: 'Theirs', status: 'True', reason: 'R', message: 'm' };
    const status: JsonObject = { extra: 1, conditions: [foreign] };
    const world = deployed({ ...binding([zone]), status });
    expect(statusOf(world)).toMatchObject({ extra: 1 });
    expect(driftIn(world)).toEqual([
      ['True', 'R'],
      ['False', 'InSync'],
    ]);
  });

  it('comes to rest with its own levels whatever edits and deletions there were', () => {
    const levels = fc.subarray([zone, rack, { domain: 'host', key: 'h' }], { minLength: 1 });
    fc.assert(
      fc.property(fc.array(fc.oneof(levels, fc.constant('delete')), { maxLength: 8 }), (acts) => {
        const world = deployed(binding([zone]));
        let last: readonly { key: string }[] = [zone];
        for (const act of acts) {
          if (typeof act === 'string') world.remove(topologyRef);
          else world.edit(bindingRef, { spec: { levels: (last = act) } });
          world.stabilize();
        }
        world.converge();
        expect(keysIn(world)).toEqual(last.map(({ key }) => key));
        expect(driftIn(world)).toEqual([['False', 'InSync']]);
        const writes = world.writes.length;
        world.pass(600_000);
        world.stabilize();
        expect(world.writes).toHaveLength(writes);
      }),
    );
  });

  it('goes without a word, and its actor with it', () => {
    const world = deployed(binding([zone]));
    const writes = world.writes.length;
    world.remove(bindingRef);
    world.converge();
    expect(world.writes).toHaveLength(writes);
    expect(world.snapshotOf({ kind: 'topologybinding', namespace: '', name: 'dc' })).toBe(
      undefined,
    );
  });
});
