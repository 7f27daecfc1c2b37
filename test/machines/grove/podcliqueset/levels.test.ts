// What a PodCliqueSet says about the topology that its constraints speak of: the condition
// TopologyLevelsUnavailable and the sentences of `why` (spec controllers 2.3).
import { describe, expect, it } from 'vitest';
import { at, isObject, list } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { demoSet } from '#test/support/samples.ts';
import { aware, deployed, everywhere, fabric, fabricRef } from '#test/support/topology.ts';
import { host, placedSet, rack, zone } from '#test/support/topology.ts';
import type { Constraints } from '#test/support/topology.ts';
import type { World, WorldOptions } from '#test/support/world.ts';

const key = { kind: 'podcliqueset', namespace: 'demo', name: 'demo' } as const;

const condition = (world: World): JsonObject | undefined => {
  const set = world.get('PodCliqueSet', 'demo');
  const found = list(at(set, 'status', 'conditions')).find(
    (one) => at(one, 'type') === 'TopologyLevelsUnavailable',
  );
  return isObject(found) ? found : undefined;
};

describe('TopologyLevelsUnavailable', () => {
  const stated = (world: World) => {
    const { status, reason, message } = condition(world) ?? {};
    return [status, reason, message];
  };
  const off = { pack: { required: 'rack' } };

  it('says that all is well, or that nothing is asked for', () => {
    expect(condition(deployed([fabric(), placedSet()]))).toEqual({
      type: 'TopologyLevelsUnavailable',
      status: 'False',
      reason: 'AllClusterTopologyLevelsAvailable',
      message: 'All topology levels are available',
      observedGeneration: 1,
      lastTransitionTime: expect.any(String),
    });
    expect(stated(deployed([placedSet({})]))).toEqual([
      'False',
      'AllClusterTopologyLevelsAvailable',
      'No topology constraints defined',
    ]);
  });

  it.each<readonly [string, Constraints, WorldOptions, readonly unknown[], string]>([
    [
      'that placement by topology is off',
      everywhere,
      {},
      [
        'Unknown',
        'TopologyAwareSchedulingDisabled',
        'Topology constraints are defined but Topology Aware Scheduling is disabled',
      ],
      'topology constraints are not passed on to the scheduler: topologyAwareScheduling is off',
    ],
    [
      'that no topology is named',
      { worker: off },
      aware,
      [
        'Unknown',
        'TopologyNameMissing',
        'PodCliqueSet topology constraints must include topologyName',
      ],
      'topology constraints are not passed on to the scheduler: none of them has a topologyName',
    ],
    [
      'that there is no such binding',
      everywhere,
      aware,
      ['Unknown', 'ClusterTopologyNotFound', 'ClusterTopologyBinding resource not found'],
      'topology constraints are not passed on to the scheduler: there is no ClusterTopologyBinding fabric',
    ],
  ])('says %s, and so does why', (_, constraints, options, expected, sentence) => {
    const world = deployed([placedSet(constraints)], options);
    expect(stated(world)).toEqual(expected);
    expect(world.why(key)).toContain(sentence);
  });

  it('names the domains that are no levels, sorted, and so does why (10.2 gap 22)', () => {
    const set = { topologyName: 'fabric', pack: { required: 'pod', preferred: 'cell' } };
    const group = { pack: { required: 'aisle', preferred: 'host' } };
    const world = deployed([fabric([zone, rack]), placedSet({ set, group, worker: off })]);
    expect(stated(world)).toEqual([
      'True',
      'ClusterTopologyLevelsUnavailable',
      'Unavailable topology domains: [aisle cell host pod]',
    ]);
    expect(world.why(key)).toEqual([
      'topology constraints are not passed on to the scheduler as far as ' +
        'ClusterTopologyBinding fabric has no level for them: aisle, cell, host, pod',
    ]);
  });

  it('is not there while topology-aware scheduling is off and nothing is asked for', () => {
    const world = deployed([placedSet({})]);
    expect(condition(world)).toBeDefined();
    world.options = {};
    world.restart();
    world.converge();
    expect(condition(world)).toBeUndefined();
  });

  it('follows the binding, with a new transition time where the status changes only', () => {
    const world = deployed([placedSet()]);
    const seen = [condition(world)];
    const acts = [
      () => world.create(fabric([zone, rack])),
      () => world.edit(fabricRef, { spec: { levels: [zone] } }),
      () => world.edit(fabricRef, { spec: { levels: [zone, rack, host] } }),
      () => world.remove(fabricRef),
    ];
    for (const act of acts) {
      world.pass(10_000);
      act();
      world.converge();
      seen.push(condition(world));
    }
    expect(seen.map((one) => one?.['status'])).toEqual([
      'Unknown',
      'True',
      'True',
      'False',
      'Unknown',
    ]);
    expect(seen[2]?.['message']).toBe('Unavailable topology domains: [host rack]');
    const times = seen.map((one) => String(one?.['lastTransitionTime']));
    expect(times[2]).toBe(times[1]);
    expect(new Set(times).size).toBe(4);
  });

  it('names the generation that was judged', () => {
    const world = deployed([fabric(), placedSet()]);
    world.edit(demoSet, { spec: { replicas: 2 } });
    world.converge();
    expect(condition(world)).toMatchObject({ status: 'False', observedGeneration: 2 });
  });
});
