// Server-side apply: the cases that users meet, with Kubernetes' texts and fieldsV1.
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { serverSideApply } from '#src/devcluster/patch/apply.ts';
import type { ApplyResult } from '#src/devcluster/patch/apply.ts';
import { conflictCauses, conflictMessage } from '#src/devcluster/patch/conflicts.ts';
import { trackManagedFields } from '#src/devcluster/patch/managed-fields.ts';
import { definitions } from '#src/devcluster/schema/definitions.ts';
import { listAt, valueAt } from '#src/devcluster/schema/record.ts';

const schema = definitions.get('io.k8s.api.apps.v1.Deployment') ?? {};
const writer = { schema, now: '2026-01-01T00:00:00Z', subresource: '', apiVersion: 'apps/v1' };

const deployment = (spec: JsonObject, metadata: JsonObject = {}): Stored => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default', ...metadata },
  spec,
});

const apply = (
  live: Stored | undefined,
  applied: Stored,
  manager: string,
  force = false,
): ApplyResult => serverSideApply({ ...writer, live, applied, manager, force });

function applied(live: Stored | undefined, config: Stored, manager: string, force = false): Stored {
  const result = apply(live, config, manager, force);
  if (!('object' in result)) throw new Error(JSON.stringify(result));
  return result.object;
}

function updated(before: Stored | undefined, after: Stored, manager: string): Stored {
  const managedFields: unknown = trackManagedFields({
    ...writer,
    before,
    after,
    manager,
    operation: 'Update',
  });
  const result: Stored = JSON.parse(
    JSON.stringify({ ...after, metadata: { ...after.metadata, managedFields } }),
  );
  return result;
}

const entries = (object: Stored): readonly unknown[] => listAt(object.metadata, 'managedFields');
const container = (name: string, more: JsonObject = {}): JsonObject => ({ name, ...more });
const podSpec = (...containers: JsonObject[]): JsonObject => ({
  template: { spec: { containers } },
});

describe('trackManagedFields', () => {
  test('A create gives all fields to its writer, with parents marked as Kubernetes does', () => {
    const object = updated(
      undefined,
      deployment(podSpec(container('a', { ports: [{ containerPort: 80 }] })), {
        labels: { x: '1' },
      }),
      'kubectl-create',
    );
    expect(entries(object)).toEqual([
      {
        manager: 'kubectl-create',
        operation: 'Update',
        apiVersion: 'apps/v1',
        time: '2026-01-01T00:00:00Z',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, 'f:x': {} } },
          'f:spec': {
            '.': {},
            'f:template': {
              '.': {},
              'f:spec': {
                '.': {},
                'f:containers': {
                  '.': {},
                  'k:{"name":"a"}': {
                    '.': {},
                    'f:name': {},
                    'f:ports': {
                      '.': {},
                      'k:{"containerPort":80,"protocol":"TCP"}': { '.': {}, 'f:containerPort': {} },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ]);
  });

  test('A change moves the field to its writer and a removal takes it from everybody', () => {
    const one = updated(undefined, deployment({ replicas: 1, paused: true }), 'a');
    const two = updated(one, { ...one, spec: { replicas: 2 } }, 'b');
    expect(entries(two).map((entry) => valueAt(entry, 'fieldsV1'))).toEqual([
      { 'f:spec': {} },
      { 'f:spec': { 'f:replicas': {} } },
    ]);
  });

  test('A reset with [{}] leaves the object untracked until it is applied', () => {
    const one = updated(undefined, deployment({ replicas: 1 }), 'a');
    const reset = { ...one, metadata: { ...one.metadata, managedFields: [{}] } };
    const two = updated(one, reset, 'a');
    expect(entries(two)).toEqual([]);
    expect(entries(updated(two, { ...two, spec: { replicas: 3 } }, 'b'))).toEqual([]);
    const three = applied(two, deployment({ paused: true }), 'c');
    expect(entries(three).map((entry) => valueAt(entry, 'manager'))).toEqual([
      'c',
      'before-first-apply',
    ]);
  });

  test('More than ten writers are folded into ancient-changes', () => {
    const annotations: JsonObject = {};
    let object = updated(undefined, deployment({ replicas: 0 }), 'writer-0');
    for (let n = 1; n <= 14; n++) {
      annotations[`k${n}`] = 'v';
      object = updated(
        object,
        { ...object, metadata: { ...object.metadata, annotations: { ...annotations } } },
        `writer-${n}`,
      );
    }
    const names = entries(object).map((entry) => valueAt(entry, 'manager'));
    expect(names).toHaveLength(10);
    expect(names).toContain('ancient-changes');
  });
});

describe('serverSideApply', () => {
  test('A first apply creates the object and owns what it says', () => {
    const object = applied(undefined, deployment({ replicas: 2 }), 'ci');
    expect(valueAt(entries(object)[0], 'fieldsV1')).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(valueAt(entries(object)[0], 'operation')).toBe('Apply');
  });

  test('A field of another manager conflicts with the words of kube-apiserver', () => {
    const live = updated(undefined, deployment({ replicas: 1 }), 'kubectl-client-side-apply');
    const result = apply(live, deployment({ replicas: 5 }), 'ci');
    if (!('conflicts' in result)) throw new Error('expected conflicts');
    expect(conflictMessage(result.conflicts)).toBe(
      'Apply failed with 1 conflict: conflict with "kubectl-client-side-apply" using apps/v1: .spec.replicas',
    );
    expect(conflictCauses(result.conflicts)).toEqual([
      {
        reason: 'FieldManagerConflict',
        message: 'conflict with "kubectl-client-side-apply" using apps/v1',
        field: '.spec.replicas',
      },
    ]);
    const forced = applied(live, deployment({ replicas: 5 }), 'ci', true);
    expect(valueAt(forced, 'spec', 'replicas')).toBe(5);
    expect(entries(forced).map((entry) => valueAt(entry, 'manager'))).toEqual([
      'ci',
      'kubectl-client-side-apply',
    ]);
  });

  test('Several conflicts are listed by manager', () => {
    const live = applied(undefined, deployment(podSpec(container('a', { image: 'x' }))), 'one');
    const both = applied(live, deployment({ replicas: 1 }), 'two');
    const config = deployment({ replicas: 9, ...podSpec(container('a', { image: 'y' })) });
    const result = apply(both, config, 'three');
    expect('conflicts' in result && conflictMessage(result.conflicts)).toBe(
      'Apply failed with 2 conflicts: conflicts with "one":\n' +
        '- .spec.template.spec.containers[name="a"].image\n' +
        'conflicts with "two":\n- .spec.replicas',
    );
  });

  test('The same value can have several owners and stays until the last lets go', () => {
    const one = applied(undefined, deployment({ replicas: 3 }), 'a');
    const two = applied(one, deployment({ replicas: 3 }), 'b');
    const three = applied(two, deployment({}), 'a');
    expect(valueAt(three, 'spec', 'replicas')).toBe(3);
    const four = applied(three, deployment({}), 'b');
    expect(valueAt(four, 'spec', 'replicas')).toBeUndefined();
  });

  test('A list item that is no longer applied goes with the defaults inside it', () => {
    const one = applied(undefined, deployment(podSpec(container('a'), container('b'))), 'ci');
    const withDefaults = updated(
      one,
      {
        ...one,
        spec: podSpec(container('a'), container('b', { imagePullPolicy: 'Always' })),
      },
      'other',
    );
    const two = applied(withDefaults, deployment(podSpec(container('a'))), 'ci');
    expect(valueAt(two, 'spec')).toEqual(podSpec(container('a')));
    expect(entries(two)).toHaveLength(1);
  });

  test('A map that was applied empty and then with a key keeps the key', () => {
    const one = applied(undefined, deployment({}, { labels: {} }), 'ci');
    const two = applied(one, deployment({}, { labels: { a: '1' } }), 'ci');
    expect(two.metadata['labels']).toEqual({ a: '1' });
  });

  test('Items of several appliers live in one list, in the order of the last apply', () => {
    const one = applied(undefined, deployment(podSpec(container('b'), container('c'))), 'x');
    const two = applied(one, deployment(podSpec(container('a'), container('c'))), 'y');
    const names = listAt(valueAt(two, 'spec', 'template', 'spec'), 'containers');
    expect(names.map((item) => valueAt(item, 'name'))).toEqual(['b', 'a', 'c']);
  });

  test('An apply that says nothing new returns the live object untouched', () => {
    const live = applied(undefined, deployment({ replicas: 1 }), 'ci');
    expect(apply(live, deployment({ replicas: 1 }), 'ci')).toEqual({
      object: live,
      changed: false,
    });
  });

  test('An apply is no change either where the schema fills in what it leaves out', () => {
    const part = { type: 'object', properties: { a: { type: 'string', default: 'x' } } };
    const custom = {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { list: { type: 'array', items: part } } },
      },
    };
    const request = { ...writer, schema: custom, manager: 'ci', force: false };
    const config = deployment({ list: [{}] });
    const first = serverSideApply({ ...request, live: undefined, applied: config });
    if (!('object' in first)) throw new Error('expected an object');
    const live = { ...first.object, spec: { list: [{ a: 'x' }] } };
    const later = { ...request, now: '2026-01-02T00:00:00Z' };
    expect(serverSideApply({ ...later, live, applied: config })).toEqual({
      object: live,
      changed: false,
    });
  });

  test('Broken configurations are refused with a reason', () => {
    const twice = apply(undefined, deployment(podSpec(container('a'), container('a'))), 'ci');
    expect(twice).toEqual({
      error: expect.stringContaining('duplicate entries for key [name="a"]'),
    });
    const keyless = apply(undefined, deployment(podSpec({ image: 'x' })), 'ci');
    expect(keyless).toEqual({ error: expect.stringContaining('omits key field "name"') });
    const managed = apply(undefined, deployment({}, { managedFields: [] }), 'ci');
    expect(managed).toEqual({ error: 'metadata.managedFields must be nil' });
  });

  test('The first server-side apply of kubectl takes over what its client-side apply set', () => {
    const config = deployment({ replicas: 1 });
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify(config),
    };
    const live = updated(
      undefined,
      deployment({ replicas: 1 }, { annotations }),
      'kubectl-client-side-apply',
    );
    const next = applied(live, deployment({ replicas: 2 }), 'kubectl');
    expect(valueAt(next, 'spec', 'replicas')).toBe(2);
    const annotation = valueAt(
      next,
      'metadata',
      'annotations',
      'kubectl.kubernetes.io/last-applied-configuration',
    );
    expect(JSON.parse(String(annotation))).toEqual(deployment({ replicas: 2 }));
    expect('conflicts' in apply(live, deployment({ replicas: 2 }), 'ci')).toBe(true);
  });
});
