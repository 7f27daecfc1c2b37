// What counts as a name, label or annotation, and the words for what does not.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  checkLabel,
  checkLabelValue,
  checkNamePrefix,
  checkPathSegment,
  checkQualifiedName,
  checkSubdomain,
} from '#machines/kubernetes/names.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '#src/devcluster/strategies/index.ts';
import { lines } from '../../devcluster/strategies/support.ts';

describe('names', () => {
  test('a subdomain complaint is worded as Kubernetes words it', () => {
    expect(checkSubdomain('Bad_Name')).toEqual([
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'," +
        " and must start and end with an alphanumeric character (e.g. 'example.com', regex used for" +
        " validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
    ]);
  });

  test('a label complaint is worded as Kubernetes words it', () => {
    expect(checkLabel('a.b')).toEqual(['must not contain dots']);
    expect(checkLabel('a_b')).toEqual([
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and" +
        " must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex" +
        " used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ]);
  });

  test('a label is a subdomain', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z0-9-]{1,20}$/), (text) => {
        if (checkLabel(text).length === 0) expect(checkSubdomain(text)).toEqual([]);
      }),
    );
  });

  test('a long name is told its limit', () => {
    expect(checkLabel('a'.repeat(64))).toEqual(['must be no more than 63 characters']);
    expect(checkSubdomain('a'.repeat(254))).toEqual(['must be no more than 253 characters']);
  });

  test('a prefix may end in a dash, a name may not', () => {
    expect(checkNamePrefix('subdomain', 'web-')).toEqual([]);
    expect(checkSubdomain('web-')).toHaveLength(1);
  });

  test.each([
    ['app', []],
    ['example.com/app', []],
    ['/app', ['prefix part must be non-empty']],
    ['a/b/c', [expect.stringContaining("with an optional DNS subdomain prefix and '/'")]],
    ['', ['name part must be non-empty', expect.stringContaining('name part must consist')]],
  ])('the qualified name %j has complaints %j', (name, found) => {
    expect(checkQualifiedName(name)).toEqual(found);
  });

  test('a label value may be empty and no longer than 63', () => {
    expect(checkLabelValue('')).toEqual([]);
    expect(checkLabelValue('x'.repeat(64))).toEqual(['must be no more than 63 bytes']);
    expect(checkLabelValue('-x')).toHaveLength(1);
  });

  test('a path segment takes colons and no slashes', () => {
    expect(checkPathSegment('system:node')).toEqual([]);
    expect(checkPathSegment('a/b')).toEqual(["may not contain '/'"]);
    expect(checkPathSegment('..')).toEqual(["may not be '..'"]);
  });
});

describe('metadata', () => {
  const meta = (metadata: Record<string, unknown>) =>
    lines(validateObjectMeta({ metadata: JSON.parse(JSON.stringify(metadata)) }, true));
  const good = { name: 'a', namespace: 'b' };

  test('a name is required', () => {
    expect(meta({ namespace: 'b' })).toEqual(['metadata.name: name or generateName is required']);
  });

  test('a namespace is required for a namespaced kind and forbidden for others', () => {
    expect(meta({ name: 'a' })).toEqual(['metadata.namespace']);
    expect(lines(validateObjectMeta({ metadata: { ...good } }, false))).toEqual([
      'metadata.namespace: not allowed on this type',
    ]);
  });

  test('annotations may hold 256 KiB together', () => {
    expect(meta({ ...good, annotations: { a: 'x'.repeat(262143) } })).toEqual([]);
    expect(meta({ ...good, annotations: { a: 'x'.repeat(262144) } })).toEqual([
      'metadata.annotations: may not be more than 262144 bytes',
    ]);
  });

  test('a finalizer must be qualified', () => {
    expect(meta({ ...good, finalizers: ['coppice.dev/x', 'orphan'] })).toEqual([]);
    expect(meta({ ...good, finalizers: ['mine'] })).toEqual([
      'metadata.finalizers[0]: name is neither a standard finalizer name nor is it fully qualified',
    ]);
  });

  test('an owner needs all of its fields, and only one may control', () => {
    const owner = { apiVersion: 'v1', kind: 'Pod', name: 'a', uid: '1', controller: true };
    expect(meta({ ...good, ownerReferences: [{ kind: 'Pod', name: 'a', uid: '1' }] })).toEqual([
      'metadata.ownerReferences.apiVersion: version must not be empty',
    ]);
    expect(meta({ ...good, ownerReferences: [owner, { ...owner, name: 'b' }] })).toEqual([
      'metadata.ownerReferences: Only one reference can have Controller set to true. ' +
        'Found "true" in references for Pod/a and Pod/b',
    ]);
  });

  test('a terminating object gets no new finalizer', () => {
    const old = { metadata: { ...good, deletionTimestamp: 'x', finalizers: ['a.io/b'] } };
    const next = { metadata: { ...good, finalizers: ['a.io/b', 'a.io/c'] } };
    expect(lines(validateObjectMetaUpdate(next, old))).toEqual([
      'metadata.finalizers: no new finalizers can be added if the object is being deleted,' +
        ' found new finalizers []string{"a.io/c"}',
    ]);
  });
});
