// Topology constraints of a PodCliqueSet: what its PodGangs carry of them, whatever the order in
// which set and binding come, and how they follow the levels.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import {
  deployed,
  everywhere,
  fabric,
  fabricRef,
  host,
  placedSet,
} from '#test/support/topology.ts';
import { aware, rack, zone } from '#test/support/topology.ts';
import type { World } from '#test/support/world.ts';

const gang = (world: World, name: string): KubeObject | undefined => world.get('PodGang', name);
const pack = (required?: string, preferred?: string): JsonObject => ({
  packConstraint: {
    ...(required === undefined ? {} : { required }),
    ...(preferred === undefined ? {} : { preferred }),
  },
});

/** What a PodGang says of places, in short. */
const placed = (world: World, name: string): JsonObject => {
  const spec = at(gang(world, name), 'spec');
  const named = list(at(spec, 'podgroups')).map((group) => [
    String(at(group, 'name')),
    at(group, 'topologyConstraint') ?? null,
  ]);
  return JSON.parse(
    JSON.stringify({
      all: at(spec, 'topologyConstraint'),
      groups: at(spec, 'topologyConstraintGroupConfigs'),
      cliques: Object.fromEntries(named.filter(([, constraint]) => constraint !== null)),
      topology: gang(world, name)?.metadata.annotations?.['grove.io/topology-name'],
    }),
  );
};

const nothing = { cliques: {} };
const gangs = ['demo-0', 'demo-0-engine-0', 'demo-0-side-0'];
const places = (world: World) => gangs.map((name) => placed(world, name));

const patchesOf = (world: World, since: number) =>
  world.writes.slice(since).map(({ op, ref }) => `${op} ${ref.kind} ${ref.name}`);

describe('A base PodGang', () => {
  it('carries the constraints of set, group replicas and cliques as node label keys', () => {
    const world = deployed([fabric(), placedSet()]);
    expect(placed(world, 'demo-0')).toEqual({
      all: pack(zone.key),
      groups: [
        {
          name: 'demo-0-engine-0',
          podGroupNames: ['demo-0-engine-0-leader', 'demo-0-engine-0-hand'],
          topologyConstraint: pack(rack.key, host.key),
        },
        {
          name: 'demo-0-engine-1',
          podGroupNames: ['demo-0-engine-1-leader', 'demo-0-engine-1-hand'],
          topologyConstraint: pack(rack.key, host.key),
        },
      ],
      cliques: {
        'demo-0-worker': pack(rack.key),
        'demo-0-engine-0-leader': pack(undefined, host.key),
        'demo-0-engine-1-leader': pack(undefined, host.key),
      },
      topology: 'fabric',
    });
  });

  it('leaves out the part whose domain is no level, and a constraint of no other part', () => {
    const world = deployed([fabric([zone, rack]), placedSet()]);
    expect(placed(world, 'demo-0')).toMatchObject({
      all: pack(zone.key),
      groups: [
        { name: 'demo-0-engine-0', topologyConstraint: pack(rack.key) },
        { name: 'demo-0-engine-1', topologyConstraint: pack(rack.key) },
      ],
      cliques: { 'demo-0-worker': pack(rack.key) },
    });
  });

  it('keeps the entries of constrained groups although nothing translates, and names no topology', () => {
    for (const objects of [[placedSet()], [fabric([{ domain: 'cell', key: 'c' }]), placedSet()]]) {
      const { all, cliques, groups, topology } = placed(deployed(objects), 'demo-0');
      expect({ all, cliques, topology }).toEqual({ all: undefined, ...nothing });
      expect(groups).toEqual(
        [0, 1].map((place) => ({
          name: `demo-0-engine-${place}`,
          podGroupNames: ['leader', 'hand'].map((name) => `demo-0-engine-${place}-${name}`),
        })),
      );
    }
  });
});

describe('A scaled PodGang', () => {
  it('takes the constraint of its group, or else of the set, and has no group entries (rule 24)', () => {
    const world = deployed([fabric(), placedSet()]);
    expect(placed(world, 'demo-0-engine-0')).toEqual({
      all: pack(rack.key, host.key),
      cliques: { 'demo-0-engine-2-leader': pack(undefined, host.key) },
      topology: 'fabric',
    });
    expect(placed(world, 'demo-0-side-0')).toEqual({
      all: pack(zone.key),
      cliques: {},
      topology: 'fabric',
    });
  });

  it('has none where its group has one that translates to nothing (rule 24)', () => {
    const group = { pack: { required: 'cell' } };
    const world = deployed([fabric(), placedSet({ set: everywhere.set ?? {}, group })]);
    expect(placed(world, 'demo-0-engine-0')).toEqual(nothing);
    expect(placed(world, 'demo-0-side-0')).toMatchObject({ all: pack(zone.key) });
  });
});

describe('PodGangs', () => {
  it('say nothing of places while topology-aware scheduling is off', () => {
    const world = deployed([fabric(), placedSet()], {});
    expect(places(world)).toEqual([nothing, nothing, nothing]);
  });

  it('lose all constraints when it is switched off, and get them again', () => {
    const world = deployed([fabric(), placedSet()]);
    const before = places(world);
    world.options = {};
    world.restart();
    world.converge();
    expect(places(world)).toEqual([nothing, nothing, nothing]);
    world.options = aware;
    world.restart();
    world.converge();
    expect(places(world)).toEqual(before);
  });

  it('are the same whether the binding comes before the set, after it, or is made anew', () => {
    const before = places(deployed([fabric(), placedSet()]));
    const after = deployed([placedSet()]);
    after.create(fabric());
    after.converge();
    expect(places(after)).toEqual(before);
    after.remove(fabricRef);
    after.converge();
    expect(placed(after, 'demo-0')).toMatchObject({ cliques: {}, groups: [{}, {}] });
    expect(placed(after, 'demo-0-engine-0')).toEqual(nothing);
    after.create(fabric());
    after.converge();
    expect(places(after)).toEqual(before);
  });

  it('follow the levels with one patch for each that changes, and none for another', () => {
    const world = deployed([fabric(), placedSet(everywhere, 2)]);
    const since = world.writes.length;
    world.edit(fabricRef, { spec: { levels: [{ ...zone, key: 'dc.example/zone' }, rack, host] } });
    world.converge();
    // The group's own gangs do not speak of zones.
    const patches = patchesOf(world, since).filter((write) => write.startsWith('patch'));
    expect(patches.toSorted()).toEqual([
      'patch PodGang demo-0',
      'patch PodGang demo-0-side-0',
      'patch PodGang demo-1',
      'patch PodGang demo-1-side-0',
    ]);
    expect(placed(world, 'demo-1')).toMatchObject({ all: pack('dc.example/zone') });
    expect(world.events.map(({ reason }) => reason)).not.toContain('PodGangCreateOrUpdateFailed');
  });

  it('are left alone by another level, another order, another binding and a status', () => {
    const world = deployed([fabric(), placedSet()]);
    const since = world.writes.length;
    const cell = { domain: 'cell', key: 'example.com/cell' };
    world.create({ ...fabric([cell]), metadata: { name: 'other' } });
    world.edit(fabricRef, { spec: { levels: [cell, host, rack, zone] } });
    world.edit(fabricRef, { status: { note: 'x' } });
    world.converge();
    expect(patchesOf(world, since).filter((write) => !write.includes('Topology'))).toEqual([]);
  });

  it('are not touched, and no status is written, where a set has no constraint', () => {
    const world = deployed([fabric(), placedSet({})]);
    const since = world.writes.length;
    expect(places(world)).toEqual([nothing, nothing, nothing]);
    world.edit(fabricRef, { spec: { levels: [zone] } });
    world.remove(fabricRef);
    world.converge();
    expect(patchesOf(world, since).filter((write) => !write.includes('Topology'))).toEqual([]);
  });

  it('cost a set without constraints no write more than while placement by topology is off', () => {
    const written = [aware, {}].map((options) =>
      deployed([fabric(), placedSet({}, 3)], options).writes.map(
        ({ op, ref }) => `${op} ${ref.kind}`,
      ),
    );
    expect(written[0]).toEqual(written[1]);
  });

  it('say again what somebody else changed', () => {
    const world = deployed([fabric(), placedSet()]);
    const before = places(world);
    const ref = { kind: 'PodGang', namespace: 'demo', name: 'demo-0' } as const;
    world.edit(ref, {
      metadata: { annotations: { 'grove.io/topology-name': 'theirs' } },
      spec: { topologyConstraint: { packConstraint: { required: 'x', preferred: 'y' } } },
    });
    world.edit(ref, { spec: { topologyConstraintGroupConfigs: null } });
    world.converge();
    expect(places(world)).toEqual(before);
  });

  it('do not change by a restart', () => {
    const world = deployed([fabric(), placedSet()]);
    const since = world.writes.length;
    world.restart();
    world.converge();
    expect(patchesOf(world, since)).toEqual([]);
  });
});

describe('The annotation grove.io/topology-name of a clique', () => {
  it('reaches neither PodCliques nor pods', () => {
    const world = deployed([fabric(), placedSet()]);
    for (const kind of ['PodClique', 'Pod'] as const) {
      const all = [...world.objects.values()].filter((one) => one.kind === kind);
      const notes = all.map(({ metadata }) => metadata.annotations ?? {});
      expect(notes.some(({ note }) => note === 'x')).toBe(true);
      expect(notes.filter((map) => 'grove.io/topology-name' in map)).toEqual([]);
    }
  });
});

describe('A set whose topology changes', () => {
  const level = fc.constantFrom(zone, rack, host, { ...rack, key: 'other/rack' });
  const levels = fc.uniqueArray(level, { minLength: 1, selector: ({ domain }) => domain });

  const direct = new Map<string, unknown>();
  const madeWith = (last: readonly object[]): unknown => {
    const key = JSON.stringify(last);
    if (!direct.has(key)) direct.set(key, places(deployed([fabric(last), placedSet()])));
    return direct.get(key);
  };

  it('ends as if it had been made with the last levels, and rests', () => {
    const start = deployed([placedSet()]);
    fc.assert(
      fc.property(
        fc.array(fc.oneof(levels, fc.constant('delete')), { maxLength: 6 }),
        levels,
        (acts, last) => {
          const world = start.copy();
          for (const act of [...acts, last]) {
            if (act === 'delete') world.remove(fabricRef);
            else if (world.get('ClusterTopologyBinding', 'fabric') === undefined) {
              world.create(fabric(act));
            } else world.edit(fabricRef, { spec: { levels: act } });
            world.stabilize();
          }
          world.converge();
          expect(places(world)).toEqual(madeWith(last));
          const since = world.writes.length;
          world.pass(600_000);
          world.restart();
          world.converge();
          expect(patchesOf(world, since)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });
});
