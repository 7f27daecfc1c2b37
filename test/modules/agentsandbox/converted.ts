// Objects of agent-sandbox in their other version, for the tests of their conversion.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { convert } from '#src/modules/agentsandbox/conversion/convert.ts';
import { groupOf } from '#test/crds/agent-sandbox-rules.ts';
import type { SandboxKind } from '#test/crds/agent-sandbox-rules.ts';

export const kinds: readonly SandboxKind[] = [
  'Sandbox',
  'SandboxTemplate',
  'SandboxClaim',
  'SandboxWarmPool',
];

export const up = (from: JsonObject): JsonObject =>
  convert(from, `${groupOf(from['kind'] as SandboxKind)}/v1beta1`);
export const down = (from: JsonObject): JsonObject =>
  convert(from, `${groupOf(from['kind'] as SandboxKind)}/v1alpha1`);

export const stateName = (kind: SandboxKind): string =>
  `api.agents.x-k8s.io/v1alpha1-${kind.toLowerCase()}-state`;
