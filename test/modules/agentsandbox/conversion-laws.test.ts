// Whatever a v1alpha1 object says, it comes back from v1beta1 as it was (spec agent-sandbox 1.9).
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sandboxObject } from '#test/crds/agent-sandbox-rules.ts';
import type { SandboxKind } from '#test/crds/agent-sandbox-rules.ts';
import { down, kinds, up } from './converted.ts';

type Values = Parameters<typeof sandboxObject>[2];

const name = fc.constantFrom('p', 'shadow-pool-t', 't', 'shadow-pool-', 'a-b', 'none', 'default');

const drawn: Readonly<Record<SandboxKind, fc.Arbitrary<Values>>> = {
  Sandbox: fc.record(
    {
      'spec.replicas': fc.constantFrom(0, 1),
      'spec.service': fc.boolean(),
      'spec.shutdownPolicy': fc.constantFrom('Delete', 'Retain'),
      status: fc.record(
        { replicas: fc.constantFrom(0, 1), selector: fc.constant('a=b') },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  ),
  SandboxTemplate: fc.record(
    {
      'spec.networkPolicy': fc.constantFrom({}, { ingress: [] }),
      "metadata.annotations['api.agents.x-k8s.io/v1beta1-volume-claim-templates-policy']":
        fc.constantFrom('Disallowed', 'Allowed', 'Overrides'),
    },
    { requiredKeys: [] },
  ),
  SandboxClaim: fc.record(
    {
      'spec.sandboxTemplateRef.name': name,
      'spec.warmpool': name,
      'status.sandbox.name': name,
      'status.sandbox.podIPs': fc.array(fc.constant('10.0.0.1')),
      'spec.env': fc.array(fc.constant({ name: 'a', value: 'b' })),
    },
    { requiredKeys: [] },
  ),
  SandboxWarmPool: fc.record(
    {
      'spec.replicas': fc.nat(),
      'spec.updateStrategy': fc.constantFrom({}, { type: 'Recreate' }),
      status: fc.record({ replicas: fc.nat(), readyReplicas: fc.nat() }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  ),
};

const annotations = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string(), { minKeys: 1 });

describe.each(kinds)('Any %s', (kind) => {
  const objects = fc
    .tuple(drawn[kind], fc.option(annotations, { nil: null }))
    .map(([values, given]) =>
      sandboxObject(kind, 'v1alpha1', { 'metadata.annotations': given, ...values }),
    );

  test('of v1alpha1 is the same after it was v1beta1', () => {
    fc.assert(
      fc.property(objects, (original) => {
        expect(down(up(original))).toEqual(original);
      }),
    );
  });

  test('is not changed by being converted', () => {
    fc.assert(
      fc.property(objects, (original) => {
        const before = structuredClone(original);
        const converted = up(original);
        const between = structuredClone(converted);
        down(converted);
        expect([original, converted]).toEqual([before, between]);
      }),
    );
  });

  test('means the same in v1beta1 after it was written again in v1alpha1', () => {
    fc.assert(
      fc.property(objects, (original) => {
        const { spec, status } = up(original);
        expect(up(down(up(original)))).toMatchObject({ spec, ...(status && { status }) });
      }),
    );
  });
});
