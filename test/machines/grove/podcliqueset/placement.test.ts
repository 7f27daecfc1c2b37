// Where the pods of a gang are to be placed: what a new PodGang says, and the patch that makes one
// that is there say so.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Constraint } from '#machines/grove/objects/topologybinding.ts';
import { readGang, type ObservedGang } from '#machines/grove/objects/podgang.ts';
import {
  constrained,
  placedSpec,
  placementOf,
  type GroupConfig,
  type Placement,
  type WantedGang,
} from '#machines/grove/podcliqueset/children/wanted-gangs.ts';
import { specPatch } from '#machines/grove/views/gang-template.ts';
import { applyPatch } from '#machines/kubernetes/merge.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { host, rack, zone } from '#test/support/topology.ts';

const domain = fc.constantFrom('', 'zone', 'rack', 'host', 'cell');
const constraint: fc.Arbitrary<Constraint> = fc.record({
  topologyName: fc.constant('dc'),
  required: domain,
  preferred: domain,
});
const optional = fc.option(constraint, { nil: undefined });

const wanted: fc.Arbitrary<WantedGang> = fc
  .record({
    all: optional,
    cliques: fc.array(optional, { maxLength: 4 }),
    groups: fc.array(constraint, { maxLength: 3 }),
  })
  .map(({ all, cliques, groups }) => ({
    name: 'demo-0',
    slot: '',
    constraint: all,
    cliques: cliques.map((one, index) => ({
      name: `demo-0-c${index}`,
      minAvailable: 1,
      clique: undefined,
      isComing: true,
      constraint: one,
    })),
    groupConfigs: groups.map((one, index): GroupConfig => ({
      name: `demo-0-g-${index}`,
      cliqueNames: [`demo-0-g-${index}-a`, `demo-0-g-${index}-b`],
      constraint: one,
    })),
  }));

const topology = fc.option(
  fc.record({
    name: fc.constant('dc'),
    levels: fc.option(fc.shuffledSubarray([zone, rack, host]), { nil: undefined }),
  }),
  { nil: undefined },
);

function gangWith(spec: Json): ObservedGang {
  const observed = readGang({
    apiVersion: 'scheduler.grove.io/v1alpha1',
    kind: 'PodGang',
    metadata: { name: 'demo-0', namespace: 'demo', uid: 'u', resourceVersion: '1' },
    spec,
  });
  if ('malformed' in observed) throw new Error(observed.malformed);
  return observed;
}

describe('A placement', () => {
  it('has the entries of groups in their order, with all their members', () => {
    fc.assert(
      fc.property(wanted, topology, (gang, known) => {
        const configs = placementOf(gang, known).groupConfigs;
        const expected = known === undefined ? [] : gang.groupConfigs;
        expect(configs.map((config) => [config['name'], config['podGroupNames']])).toEqual(
          expected.map(({ name, cliqueNames }) => [name, cliqueNames]),
        );
      }),
    );
  });

  it('names its topology exactly where a constraint is left', () => {
    fc.assert(
      fc.property(wanted, topology, (gang, known) => {
        const placement = placementOf(gang, known);
        const { ofCliques, annotations } = placement;
        const said = JSON.stringify([placedSpec(placement), ...ofCliques.values()]);
        expect(annotations).toEqual(
          said.includes('packConstraint') ? { 'grove.io/topology-name': 'dc' } : {},
        );
      }),
    );
  });

  it('is reached from any other by one patch, and then needs none', () => {
    fc.assert(
      fc.property(wanted, topology, wanted, topology, (one, before, other, after) => {
        const from = gangWith({ podgroups: [], ...placedSpec(placementOf(one, before)) });
        const goal = placementOf(other, after);
        const old = { podgroups: [], ...placedSpec(placementOf(one, before)) };
        const spec = applyPatch(old, patchTo(from, goal));
        expect(spec).toEqual({ podgroups: [], ...placedSpec(goal) });
        expect(patchTo(gangWith(spec), goal)).toEqual({});
      }),
    );
  });
});

const patchTo = (gang: ObservedGang, { constraint, groupConfigs }: Placement): JsonObject =>
  specPatch(gang, {
    marks: { labels: {}, annotations: {} },
    priorityClassName: '',
    ...constrained(constraint),
    groupConfigs,
    groups: [],
  });
