// The binding and eviction subresources of pods. The REST layer hands in a private copy of the pod
// and the posted object, stores the pod that comes back and answers a refusal as a Status.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { notSupported, required } from '#machines/kubernetes/field-errors.ts';
import { ensureObject, objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Stored } from '../../contract.ts';

export type BindingOutcome =
  /** The pod was changed in place and is to be stored. */
  | { readonly ok: true }
  /** 422 on the Binding. */
  | { readonly ok: false; readonly errors: readonly FieldError[] }
  /** 409 on `pods/binding`: "Operation cannot be fulfilled on pods/binding "x": <message>". */
  | { readonly ok: false; readonly conflict: string };

/** Puts the pod on the node that the binding names and marks it as scheduled. */
export function bindPod(
  pod: Stored,
  binding: JsonObject,
  { now, topology }: { readonly now: number; readonly topology: JsonObject },
): BindingOutcome {
  const errors = validateBinding(binding);
  if (errors.length > 0) return { ok: false, errors };
  const conflict = bindingConflict(pod, binding);
  if (conflict !== undefined) return { ok: false, conflict };
  const spec = ensureObject(pod, 'spec');
  spec['nodeName'] = textAt(objectAt(binding, 'target'), 'name');
  const annotations = textsAt(objectAt(binding, 'metadata'), 'annotations');
  if (Object.keys(annotations).length > 0) {
    Object.assign(ensureObject(pod.metadata, 'annotations'), annotations);
  }
  if (Object.keys(topology).length > 0) {
    Object.assign(ensureObject(pod.metadata, 'labels'), topology);
  }
  const status = ensureObject(pod, 'status');
  delete status['nominatedNodeName'];
  setPodCondition(status, { type: 'PodScheduled', status: 'True' }, now);
  return { ok: true };
}

function validateBinding(binding: JsonObject): FieldError[] {
  const target = objectAt(binding, 'target');
  const kind = textAt(target, 'kind');
  const errors: FieldError[] = [];
  if (kind !== '' && kind !== 'Node') {
    errors.push(notSupported('target.kind', kind, ['Node', '<empty>']));
  }
  if (textAt(target, 'name') === '') errors.push(required('target.name'));
  return errors;
}

function bindingConflict(pod: Stored, binding: JsonObject): string | undefined {
  const name = textAt(pod.metadata, 'name');
  const wanted = objectAt(binding, 'metadata');
  const uid = textAt(wanted, 'uid');
  const live = textAt(pod.metadata, 'uid');
  if (uid !== '' && uid !== live) {
    return `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live}`;
  }
  if (textAt(pod.metadata, 'deletionTimestamp') !== '') {
    return `pod ${name} is being deleted, cannot be assigned to a host`;
  }
  const spec = objectAt(pod, 'spec');
  const node = textAt(spec, 'nodeName');
  if (node !== '') return `pod ${name} is already assigned to node "${node}"`;
  const gates = objectsAt(spec, 'schedulingGates');
  return gates.length > 0 ? `pod ${name} has non-empty .spec.schedulingGates` : undefined;
}

/** Sets a condition by type; the transition time moves only when the status changes. */
export function setPodCondition(status: JsonObject, condition: JsonObject, now: number): void {
  const conditions = objectsAt(status, 'conditions');
  const index = conditions.findIndex((each) => each['type'] === condition['type']);
  const old = conditions[index];
  const kept = old !== undefined && old['status'] === condition['status'];
  const lastTransitionTime = kept ? (old['lastTransitionTime'] ?? null) : rfc3339(now);
  const next: JsonObject = { lastProbeTime: null, ...condition, lastTransitionTime };
  if (index < 0) conditions.push(next);
  else conditions[index] = next;
  status['conditions'] = conditions;
}

/** Tells why the pod goes. */
export function markEvicted(pod: Stored, now: number): void {
  const why = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };
  const condition = { type: 'DisruptionTarget', status: 'True', ...why };
  setPodCondition(ensureObject(pod, 'status'), condition, now);
}

/** A pod that is over, pending or already going may be evicted whatever the budgets say. */
export function ignoresDisruptionBudgets(pod: Stored): boolean {
  const phase = textAt(objectAt(pod, 'status'), 'phase');
  return (
    ['Succeeded', 'Failed', 'Pending'].includes(phase) ||
    textAt(pod.metadata, 'deletionTimestamp') !== ''
  );
}
