// A spec that no schema has seen: which field is named, and that nothing is planned for it.
import { describe, expect, it } from 'vitest';
import { errorOfSpec } from '#machines/grove/objects/set-problem.ts';

const clique = { name: 'a', spec: { replicas: 1, podSpec: { containers: [] } } };
const spec = { replicas: 1, template: { cliques: [clique] } };
const template = (fields: object): unknown => ({
  ...spec,
  template: { ...spec.template, ...fields },
});

describe('A spec', () => {
  it.each([
    ['spec.replicas is -1; it must be a whole number', { ...spec, replicas: -1 }],
    ['spec.replicas is 1.5; it must be a whole number', { ...spec, replicas: 1.5 }],
    ['spec.replicas is "3"; it must be a whole number', { ...spec, replicas: '3' }],
    ['spec.replicas is 2147483648; it must be a whole', { ...spec, replicas: 2 ** 31 }],
    ['spec.template.cliques is missing; it must be a list', template({ cliques: undefined })],
    ['spec.template.cliques is {}; it must be a list', template({ cliques: {} })],
    [
      'spec.template.cliques[1] is null; it must be an object',
      template({ cliques: [clique, null] }),
    ],
    ['spec.template.cliques[0].spec is null', template({ cliques: [{ ...clique, spec: null }] })],
    [
      'spec.template.cliques[0].spec.minAvailable is -3',
      template({ cliques: [{ ...clique, spec: { ...clique.spec, minAvailable: -3 } }] }),
    ],
    ['spec.template.cliques[0].labels is []', template({ cliques: [{ ...clique, labels: [] }] })],
    ['podCliqueScalingGroups is 7; it must be a list', template({ podCliqueScalingGroups: 7 })],
    [
      'spec.template.podCliqueScalingGroups[0].cliqueNames is {}; it must be a list',
      template({ podCliqueScalingGroups: [{ name: 'g', cliqueNames: {} }] }),
    ],
    ['spec.template.resourceSharing is {}; it must be a list', template({ resourceSharing: {} })],
    [
      'spec.template.resourceSharing[1].scope is "Each"; it must be AllReplicas or PerReplica',
      template({
        resourceSharing: [
          { name: 't', scope: 'PerReplica' },
          { name: 't', scope: 'Each' },
        ],
      }),
    ],
    [
      'spec.template.cliques[0].resourceSharing[0].name is ""; it must be a name',
      template({
        cliques: [{ ...clique, resourceSharing: [{ name: '', scope: 'PerReplica' }] }],
      }),
    ],
    [
      'spec.template.podCliqueScalingGroups[0].resourceSharing[0] is 1; it must be an object',
      template({ podCliqueScalingGroups: [{ name: 'g', resourceSharing: [1] }] }),
    ],
    [
      'spec.template.topologyConstraint is "rack"; it must be an object',
      template({ topologyConstraint: 'rack' }),
    ],
    [
      'spec.template.cliques[0].topologyConstraint is []',
      template({ cliques: [{ ...clique, topologyConstraint: [] }] }),
    ],
    [
      'spec.template.podCliqueScalingGroups[0].topologyConstraint is 1',
      template({ podCliqueScalingGroups: [{ name: 'g', topologyConstraint: 1 }] }),
    ],
  ])('is found wrong: %s', (words, given) => {
    expect(errorOfSpec(given)).toContain(words);
  });

  const wrong: Readonly<Record<string, readonly unknown[]>> = {
    count: [-1, 1.5, '3', 2 ** 31, {}],
    list: [{}, 'a', 1],
    object: [[], 'a', 1],
  };
  const group = { name: 'g' };
  const ofClique = (field: object) => template({ cliques: [{ ...clique, ...field }] });
  const inClique = (field: object) => ofClique({ spec: { ...clique.spec, ...field } });
  const inGroup = (field: object) => template({ podCliqueScalingGroups: [{ ...group, ...field }] });

  it.each<[string, keyof typeof wrong, (value: unknown) => unknown]>([
    ['replicas', 'count', (replicas) => ({ ...spec, replicas })],
    ['template.cliques', 'list', (cliques) => template({ cliques })],
    [
      'template.podCliqueScalingGroups',
      'list',
      (podCliqueScalingGroups) => template({ podCliqueScalingGroups }),
    ],
    [
      'template.topologyConstraint',
      'object',
      (topologyConstraint) => template({ topologyConstraint }),
    ],
    [
      'template.resourceClaimTemplates',
      'list',
      (resourceClaimTemplates) => template({ resourceClaimTemplates }),
    ],
    ['template.resourceSharing', 'list', (resourceSharing) => template({ resourceSharing })],
    ['template.cliques[0].labels', 'object', (labels) => ofClique({ labels })],
    ['template.cliques[0].annotations', 'object', (annotations) => ofClique({ annotations })],
    ['template.cliques[0].spec', 'object', (own) => ofClique({ spec: own })],
    [
      'template.cliques[0].topologyConstraint',
      'object',
      (topologyConstraint) => ofClique({ topologyConstraint }),
    ],
    [
      'template.cliques[0].resourceSharing',
      'list',
      (resourceSharing) => ofClique({ resourceSharing }),
    ],
    ['template.cliques[0].spec.podSpec', 'object', (podSpec) => inClique({ podSpec })],
    ['template.cliques[0].spec.replicas', 'count', (replicas) => inClique({ replicas })],
    [
      'template.cliques[0].spec.minAvailable',
      'count',
      (minAvailable) => inClique({ minAvailable }),
    ],
    ['template.cliques[0].spec.startsAfter', 'list', (startsAfter) => inClique({ startsAfter })],
    [
      'template.podCliqueScalingGroups[0].cliqueNames',
      'list',
      (cliqueNames) => inGroup({ cliqueNames }),
    ],
    ['template.podCliqueScalingGroups[0].replicas', 'count', (replicas) => inGroup({ replicas })],
    [
      'template.podCliqueScalingGroups[0].minAvailable',
      'count',
      (minAvailable) => inGroup({ minAvailable }),
    ],
    [
      'template.podCliqueScalingGroups[0].topologyConstraint',
      'object',
      (topologyConstraint) => inGroup({ topologyConstraint }),
    ],
    [
      'template.podCliqueScalingGroups[0].resourceSharing',
      'list',
      (resourceSharing) => inGroup({ resourceSharing }),
    ],
  ])('names the field %s wherever it is no %s', (field, kind, put) => {
    for (const value of wrong[kind] ?? []) {
      expect(errorOfSpec(put(value))).toMatch(`spec.${field} is `);
    }
  });

  it.each([
    ['the least that the schema allows', spec],
    ['nulls in the place of what may be absent', { ...spec, replicas: null }],
  ])('is found right: %s', (_what, given) => {
    expect(errorOfSpec(given)).toBeUndefined();
  });
});
