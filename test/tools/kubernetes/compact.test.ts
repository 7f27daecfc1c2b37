// The tool that makes the data file: what it keeps and what it drops.
import { expect, test } from 'vitest';
import { compactDefinitions } from '#tools/kubernetes/compact.ts';

const mark = (group: string, version: string, kind: string): object => ({
  'x-kubernetes-group-version-kind': [{ group, kind, version }],
});

test('compactDefinitions keeps what served kinds reach, without descriptions of schemas', () => {
  const result = compactDefinitions({
    'x.Pod': {
      description: 'A pod.',
      type: 'object',
      properties: {
        description: { type: 'string', description: 'A field that has this name.' },
        spec: { $ref: '#/definitions/x.PodSpec', description: 'What.' },
      },
      ...mark('', 'v1', 'Pod'),
    },
    'x.PodSpec': { type: 'object', properties: { self: { $ref: '#/definitions/x.PodSpec' } } },
    'x.Ingress': { type: 'object', ...mark('networking.k8s.io', 'v1', 'Ingress') },
    'x.Unused': { type: 'object' },
  });
  expect(result).toEqual({
    'x.Pod': {
      type: 'object',
      properties: { description: { type: 'string' }, spec: { $ref: '#/definitions/x.PodSpec' } },
      ...mark('', 'v1', 'Pod'),
    },
    'x.PodSpec': { type: 'object', properties: { self: { $ref: '#/definitions/x.PodSpec' } } },
  });
});

test('compactDefinitions keeps, of a kind that all groups share, the groups that are served', () => {
  const groups = [
    { group: 'apps', kind: 'DeleteOptions', version: 'v1' },
    { group: '', kind: 'DeleteOptions', version: 'v1' },
    { group: 'certificates.k8s.io', kind: 'DeleteOptions', version: 'v1' },
  ];
  const { DeleteOptions } = compactDefinitions({
    DeleteOptions: { type: 'object', 'x-kubernetes-group-version-kind': groups },
  });
  expect(DeleteOptions?.['x-kubernetes-group-version-kind']).toEqual(groups.slice(0, 2));
});
