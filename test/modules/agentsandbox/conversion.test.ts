// Every sentence about the conversion of agent-sandbox's kinds (spec agent-sandbox 1.9).
import { describe, expect, test } from 'vitest';
import { at } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { convert } from '#src/modules/agentsandbox/conversion/convert.ts';
import { replaced } from '#test/admission/examples.ts';
import { groupOf, sandboxObject } from '#test/crds/agent-sandbox-rules.ts';
import type { SandboxKind } from '#test/crds/agent-sandbox-rules.ts';
import { down, kinds, stateName, up } from './converted.ts';

type Values = Parameters<typeof sandboxObject>[2];

const older = (kind: SandboxKind, values: Values = {}): JsonObject =>
  sandboxObject(kind, 'v1alpha1', values);
const newer = (kind: SandboxKind, values: Values = {}): JsonObject =>
  sandboxObject(kind, 'v1beta1', values);

/** Made in v1alpha1, then changed in v1beta1, and shown in v1alpha1. */
const changed = (original: JsonObject, values: NonNullable<Values>): JsonObject =>
  down(replaced(up(original), values));

describe.each(kinds)('A %s', (kind) => {
  const original = older(kind, { 'metadata.annotations': { a: 'b' } });

  test('keeps what it was in v1alpha1 in an annotation, without that annotation', () => {
    const before = replaced(original, { [`metadata.annotations['${stateName(kind)}']`]: 'old' });
    const annotations = at(up(before), 'metadata', 'annotations');
    expect(annotations).toEqual({ a: 'b', [stateName(kind)]: expect.any(String) });
    expect(JSON.parse(String(at(annotations, stateName(kind))))).toEqual(original);
  });

  test('does not show that annotation in v1alpha1', () => {
    expect(at(down(up(original)), 'metadata', 'annotations')).toEqual({ a: 'b' });
    expect(down(up(older(kind)))).toEqual(older(kind));
  });

  test('stays as it is in its own version', () => {
    expect(convert(original, `${groupOf(kind)}/v1alpha1`)).toBe(original);
  });

  test.each(['v1', 'v1beta2', ''])('has no version "%s"', (version) => {
    const why = `${kind} of ${groupOf(kind)}/v1alpha1 cannot be converted to`;
    expect(() => convert(original, `${groupOf(kind)}/${version}`)).toThrow(why);
  });
});

test('What is no object of agent-sandbox is refused', () => {
  expect(() => convert('x', 'agents.x-k8s.io/v1beta1')).toThrow('it is not an object');
  const other = { apiVersion: 'agents.x-k8s.io/v1alpha1', kind: 'constructor' };
  expect(() => convert(other, 'agents.x-k8s.io/v1beta1')).toThrow('constructor of agents.x-k8s.io');
  const moved = { ...older('Sandbox'), apiVersion: 'extensions.agents.x-k8s.io/v1alpha1' };
  expect(() => convert(moved, 'agents.x-k8s.io/v1beta1')).toThrow('cannot be converted');
});

describe.each(['Sandbox', 'SandboxClaim'] as const)('The annotation of a %s', (kind) => {
  test.each([
    ['{', 'is not JSON'],
    ['5', 'does not hold an object'],
    ['', 'is not JSON'],
  ])('that says %s fails the conversion', (state, why) => {
    const broken = newer(kind, { 'metadata.annotations': { [stateName(kind)]: state } });
    expect(() => down(broken)).toThrow(`annotation ${stateName(kind)} ${why}`);
  });
});

describe('A Sandbox', () => {
  test.each([
    [0, 'Suspended'],
    [1, 'Running'],
    [2, 'Running'],
    [null, 'Running'],
  ])('of %s replicas is %s', (replicas, mode) => {
    const spec = at(up(older('Sandbox', { 'spec.replicas': replicas })), 'spec');
    expect(spec).toEqual({ ...(newer('Sandbox')['spec'] as JsonObject), operatingMode: mode });
  });

  test('has no node on the way up, and all else of its status', () => {
    const status = { service: 's', selector: 'a=b', podIPs: ['10.0.0.1'], conditions: [] };
    const seen = older('Sandbox', { status: { ...status, replicas: 1 } });
    expect(up(seen)['status']).toEqual(status);
  });

  test.each([
    ['Suspended', 0],
    ['Running', 1],
    [null, 1],
  ])('that was made %s has %s replicas', (mode, replicas) => {
    const status = { nodeName: 'n', podIPs: ['10.0.0.1'] };
    const made = down(newer('Sandbox', { 'spec.operatingMode': mode, status }));
    expect(at(made, 'spec')).toEqual({ ...(older('Sandbox')['spec'] as JsonObject), replicas });
    expect(made['status']).toEqual({ podIPs: ['10.0.0.1'], replicas });
  });

  test.each([
    // [before, mode in v1beta1, after]
    [1, 'Running', 1],
    [1, 'Suspended', 0],
    [0, 'Suspended', 0],
    [0, 'Running', 1],
    [undefined, 'Running', undefined],
    [undefined, 'Suspended', 0],
    [0, null, 1],
    [undefined, null, 1],
  ])('of %s replicas that is then %s has %s', (before, mode, after) => {
    const original = older('Sandbox', { 'spec.replicas': before ?? null, 'status.replicas': 1 });
    const shown = changed(original, { 'spec.operatingMode': mode });
    expect(at(shown, 'spec', 'replicas')).toBe(after);
    expect(at(shown, 'status', 'replicas')).toBe(1);
    expect(at(shown, 'spec')).not.toHaveProperty('operatingMode');
  });
});

describe('A SandboxClaim', () => {
  const pool = (values: Values) => at(up(older('SandboxClaim', values)), 'spec', 'warmPoolRef');

  test.each<[string, Values, string]>([
    ['names a pool', { 'spec.warmpool': 'p' }, 'p'],
    ['names no pool', { 'spec.warmpool': 'none' }, 'shadow-pool-template'],
    ['takes any pool', { 'spec.warmpool': 'default' }, 'shadow-pool-template'],
    ['says nothing of a pool', { 'spec.warmpool': '' }, 'shadow-pool-template'],
    ['has no word for a pool', {}, 'shadow-pool-template'],
    ['has a Sandbox of a pool', { 'status.sandbox.name': 'my-pool-x7k2p' }, 'my-pool'],
    ['has a Sandbox without a suffix', { 'status.sandbox.name': 'alone' }, 'alone'],
    ['has a Sandbox of its own', { 'status.sandbox.name': 'base' }, 'shadow-pool-template'],
    [
      'names a pool and has a Sandbox of another',
      { 'spec.warmpool': 'p', 'status.sandbox.name': 'q-x7k2p' },
      'p',
    ],
    [
      'wants none and has a Sandbox of a pool',
      { 'spec.warmpool': 'none', 'status.sandbox.name': 'q-x7k2p' },
      'q',
    ],
  ])('that %s is of this pool', (_, values, name) => {
    expect(pool(values)).toEqual({ name });
    const { sandboxTemplateRef, warmpool } = at(
      up(older('SandboxClaim', values)),
      'spec',
    ) as JsonObject;
    expect([sandboxTemplateRef, warmpool]).toEqual([undefined, undefined]);
  });

  test.each([
    ['shadow-pool-t', 'default', 't'],
    ['shadow-pool-', 'default', ''],
    ['p', 'p', 'p'],
  ])('that was made with the pool %s', (name, warmpool, template) => {
    const made = newer('SandboxClaim', {
      'spec.warmPoolRef.name': name,
      'spec.volumeClaimTemplates': [{ spec: {} }],
      'spec.env': [{ name: 'a', value: 'b' }],
    });
    expect(down(made)['spec']).toEqual({
      warmpool,
      sandboxTemplateRef: { name: template },
      env: [{ name: 'a', value: 'b' }],
    });
  });

  const pools = ['p', 'shadow-pool-p', 'template', 'shadow-pool-template', 's-x7k2p', 's', 'other'];
  test.each<[string | null, string, readonly string[]]>([
    // Of the pools, those that mean that nobody has given it another one.
    ['p', '', ['p', 'shadow-pool-p']],
    ['p', 's-x7k2p', ['p', 'shadow-pool-p', 's-x7k2p', 's']],
    ['none', '', ['template', 'shadow-pool-template']],
    ['default', 's-x7k2p', ['template', 'shadow-pool-template', 's-x7k2p', 's']],
    [null, '', ['template', 'shadow-pool-template']],
  ])('of the pool %s with the Sandbox "%s" is the same in %s', (warmpool, sandbox, same) => {
    const values = { 'spec.warmpool': warmpool, 'status.sandbox.name': sandbox };
    const shown = pools.map(
      (name) =>
        [
          name,
          at(
            changed(older('SandboxClaim', values), { 'spec.warmPoolRef.name': name }),
            'spec',
          ) as JsonObject,
        ] as const,
    );
    for (const [name, spec] of shown) {
      expect(spec['sandboxTemplateRef']).toEqual({ name: 'template' });
      const expected = same.includes(name) ? (warmpool ?? undefined) : name;
      expect([name, spec['warmpool']]).toEqual([name, expected]);
    }
  });
});

describe('A SandboxTemplate', () => {
  const annotation = 'api.agents.x-k8s.io/v1beta1-volume-claim-templates-policy';
  const policies = ['Disallowed', 'Allowed', 'Overrides'];

  test.each(policies)('has the policy %s of its annotation, which is gone', (policy) => {
    const made = up(older('SandboxTemplate', { 'metadata.annotations': { [annotation]: policy } }));
    expect(at(made, 'spec', 'volumeClaimTemplatesPolicy')).toBe(policy);
    expect(at(made, 'metadata', 'annotations')).not.toHaveProperty(annotation);
    expect(at(down(made), 'metadata', 'annotations')).toEqual({ [annotation]: policy });
    expect(at(down(made), 'spec')).not.toHaveProperty('volumeClaimTemplatesPolicy');
  });

  test.each(['allowed', ''])('with the policy "%s" is refused', (policy) => {
    const wrong = older('SandboxTemplate', { 'metadata.annotations': { [annotation]: policy } });
    expect(() => up(wrong)).toThrow(
      `invalid VolumeClaimTemplatesPolicy annotation value: "${policy}"`,
    );
  });

  test('loses the annotation where it has no policy', () => {
    const made = newer('SandboxTemplate', { 'metadata.annotations': { [annotation]: 'Allowed' } });
    expect(at(down(made), 'metadata')).toEqual({ name: 'base' });
  });

  test('shows the policy of v1beta1, whatever it was', () => {
    const original = older('SandboxTemplate', {
      'metadata.annotations': { [annotation]: 'Allowed' },
    });
    const shown = changed(original, { 'spec.volumeClaimTemplatesPolicy': 'Overrides' });
    expect(at(shown, 'metadata', 'annotations')).toEqual({ [annotation]: 'Overrides' });
  });

  test('is converted whatever its state says', () => {
    const broken = newer('SandboxTemplate', {
      'metadata.annotations': { [stateName('SandboxTemplate')]: '{' },
    });
    expect(at(down(broken), 'metadata')).toEqual({ name: 'base' });
  });
});

describe('A SandboxWarmPool', () => {
  test('has a count both ways, 1 where v1beta1 says nothing', () => {
    expect(at(up(older('SandboxWarmPool')), 'spec', 'replicas')).toBe(2);
    expect(at(down(newer('SandboxWarmPool')), 'spec', 'replicas')).toBe(1);
    expect(at(down(newer('SandboxWarmPool', { 'spec.replicas': 0 })), 'spec', 'replicas')).toBe(0);
    expect(at(changed(older('SandboxWarmPool'), { 'spec.replicas': 7 }), 'spec', 'replicas')).toBe(
      7,
    );
  });

  test('has an observed generation in v1beta1 alone', () => {
    const status = { replicas: 2, readyReplicas: 1, selector: 'a=b' };
    const made = newer('SandboxWarmPool', { status: { ...status, observedGeneration: 3 } });
    expect(down(made)['status']).toEqual(status);
  });

  test('keeps its strategy, and has none where there was none', () => {
    const updateStrategy = { type: 'Recreate' };
    const made = older('SandboxWarmPool', { 'spec.updateStrategy': updateStrategy });
    expect(at(up(made), 'spec', 'updateStrategy')).toEqual(updateStrategy);
    expect(at(up(older('SandboxWarmPool')), 'spec')).not.toHaveProperty('updateStrategy');
  });
});
