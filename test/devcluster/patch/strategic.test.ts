// Strategic merge patches on the real definitions of Pod and Service.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { strategicPatch } from '#src/devcluster/patch/strategic.ts';
import { definitions } from '#src/devcluster/schema/definitions.ts';

const podSchema = definitions.get('io.k8s.api.core.v1.Pod') ?? {};
const deploymentSchema = definitions.get('io.k8s.api.apps.v1.Deployment') ?? {};

const patchPod = (spec: JsonObject, patch: JsonObject): unknown => {
  const target = { spec };
  const before = structuredClone(target);
  const result = strategicPatch(target, { spec: patch }, podSchema);
  expect(target).toEqual(before);
  return 'value' in result ? result.value['spec'] : result.error;
};

describe('strategicPatch', () => {
  test('A list with a merge key is merged item by item', () => {
    const spec = {
      containers: [
        { name: 'a', image: 'x', args: ['1'] },
        { name: 'b', image: 'y' },
      ],
    };
    expect(
      patchPod(spec, {
        containers: [
          { name: 'b', image: 'z' },
          { name: 'c', image: 'n' },
        ],
      }),
    ).toEqual({
      containers: [
        { name: 'a', image: 'x', args: ['1'] },
        { name: 'b', image: 'z' },
        { name: 'c', image: 'n' },
      ],
    });
  });

  test('An item with $patch: delete goes, null deletes a field, atomic lists are replaced', () => {
    const spec = {
      nodeName: 'n',
      containers: [{ name: 'a', args: ['1', '2'] }, { name: 'b' }],
      volumes: [{ name: 'v' }],
    };
    expect(
      patchPod(spec, {
        nodeName: null,
        containers: [
          { name: 'b', $patch: 'delete' },
          { name: 'a', args: ['3'] },
        ],
        volumes: [{ $patch: 'replace' }, { name: 'w', emptyDir: {} }],
      }),
    ).toEqual({ containers: [{ name: 'a', args: ['3'] }], volumes: [{ name: 'w', emptyDir: {} }] });
  });

  test('An order puts the named items in place and leaves the others before those that they preceded', () => {
    const spec = { containers: [{ name: 'a' }, { name: 'x' }, { name: 'b' }] };
    expect(
      patchPod(spec, { '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }] }),
    ).toEqual({ containers: [{ name: 'x' }, { name: 'b' }, { name: 'a' }] });
  });

  test('Scalars of a set are added and deleted by value', () => {
    const result = strategicPatch(
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { '$deleteFromPrimitiveList/finalizers': ['a'], finalizers: ['c'] } },
      podSchema,
    );
    expect(result).toEqual({ value: { metadata: { finalizers: ['c', 'b'] } } });
  });

  test('Retained keys drop all other fields of the object', () => {
    const result = strategicPatch(
      { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } },
      { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } },
      deploymentSchema,
    );
    expect(result).toEqual({ value: { spec: { strategy: { type: 'Recreate' } } } });
  });

  test('A map with $patch: replace keeps only what the patch has', () => {
    const result = strategicPatch(
      { metadata: { labels: { a: '1', b: '2' } } },
      { metadata: { labels: { $patch: 'replace', c: '3' } } },
      podSchema,
    );
    expect(result).toEqual({ value: { metadata: { labels: { c: '3' } } } });
  });

  test('Contradictions are refused with a reason', () => {
    expect(patchPod({}, { containers: [{ image: 'x' }] })).toMatch(/merge key: name/);
    expect(patchPod({}, { $patch: 'zap' })).toMatch(/delete, merge, replace/);
    expect(patchPod({}, { $retainKeys: ['a'], b: 1 })).toMatch(/must name b/);
    expect(patchPod({}, { containers: [1] })).toMatch(/must be an object/);
  });
});
