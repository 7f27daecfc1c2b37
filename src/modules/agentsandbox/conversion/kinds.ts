// Sandboxes, templates and pools in their two versions. Called by convert.ts alone.
import { at, object, text } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';
import { ConversionError } from '#src/admission/conversion.ts';
import { withSection } from './section.ts';
import { annotationOf, dropState, readState } from './state.ts';
import { withAnnotation, withoutAnnotation } from './state.ts';

export function sandboxUp(from: JsonObject): JsonObject {
  const isSuspended = at(from, 'spec', 'replicas') === 0;
  const operatingMode = isSuspended ? 'Suspended' : 'Running';
  const changed = withSection(from, 'spec', { replicas: undefined, operatingMode });
  return withSection(changed, 'status', { replicas: undefined, nodeName: undefined });
}

export function sandboxDown(from: JsonObject): JsonObject {
  const mode = text(at(from, 'spec', 'operatingMode'));
  const replicas = mode === 'Suspended' ? 0 : 1;
  const original = readState(from);
  const asIn = (section: string): Json | undefined => object(original?.[section])['replicas'];
  // Whoever has suspended or resumed it meanwhile did so in v1beta1, and that counts.
  const before = asIn('spec');
  const isKept = original !== undefined && mode === 'Running' && before !== 0;
  const changed = withSection(dropState(from), 'spec', {
    operatingMode: undefined,
    replicas: isKept ? before : replicas,
  });
  return withSection(changed, 'status', {
    nodeName: undefined,
    replicas: original === undefined ? replicas : asIn('status'),
  });
}

const policyAnnotation = 'api.agents.x-k8s.io/v1beta1-volume-claim-templates-policy';
const policies: readonly string[] = ['Disallowed', 'Allowed', 'Overrides'];

/** The policy exists in v1beta1 alone; in v1alpha1 it is an annotation. */
export function templateUp(from: JsonObject): JsonObject {
  const policy = annotationOf(from, policyAnnotation);
  if (policy === undefined) return from;
  if (!policies.includes(policy)) {
    const quoted = JSON.stringify(policy);
    throw new ConversionError(`invalid VolumeClaimTemplatesPolicy annotation value: ${quoted}`);
  }
  const changed = withSection(from, 'spec', { volumeClaimTemplatesPolicy: policy });
  return withoutAnnotation(changed, policyAnnotation);
}

export function templateDown(from: JsonObject): JsonObject {
  const policy = text(at(from, 'spec', 'volumeClaimTemplatesPolicy'));
  const changed = withSection(dropState(from), 'spec', { volumeClaimTemplatesPolicy: undefined });
  return policy === ''
    ? withoutAnnotation(changed, policyAnnotation)
    : withAnnotation(changed, policyAnnotation, policy);
}

export function poolDown(from: JsonObject): JsonObject {
  const replicas = object(from['spec'])['replicas'] ?? 1;
  const changed = withSection(dropState(from), 'spec', { replicas });
  return withSection(changed, 'status', { observedGeneration: undefined, conditions: undefined });
}
