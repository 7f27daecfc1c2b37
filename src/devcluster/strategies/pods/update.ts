// What may change in a pod once it exists: images, a shorter deadline, more tolerations, fewer
// scheduling gates, and - while gated - a tighter choice of nodes. Everything else is fixed.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { forbidden, invalid, required } from '#machines/kubernetes/field-errors.ts';
import { numberAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '../../contract.ts';

const fixedSpec =
  'pod updates may not change fields other than `spec.containers[*].image`,' +
  '`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations`' +
  ' (only additions to existing tolerations),`spec.terminationGracePeriodSeconds`' +
  ' (allow it to be set to 1 if it was previously negative)';

export function validatePodUpdate(pod: Stored, old: Stored): FieldError[] {
  const spec = objectAt(pod, 'spec') ?? {};
  const before = objectAt(old, 'spec') ?? {};
  const counts = ['containers', 'initContainers'].filter(
    (key) => objectsAt(spec, key).length !== objectsAt(before, key).length,
  );
  if (counts.length > 0) {
    const detail = 'pod updates may not add or remove containers';
    return counts.map((key) => forbidden(`spec.${key}`, detail));
  }
  const gated = objectsAt(before, 'schedulingGates').length > 0;
  return [
    ...validateDeadline(spec, before),
    ...validateAddedTolerations(spec, before),
    ...validateRemovedGates(spec, before),
    ...(gated ? validateTighterPlacement(spec, before) : []),
    ...validateFixed(spec, before, gated),
  ];
}

function validateFixed(spec: JsonObject, before: JsonObject, gated: boolean): FieldError[] {
  const comparable = withAllowed(spec, before, gated);
  if (isEqual(comparable, before)) return [];
  const changed = Object.keys({ ...comparable, ...before })
    .filter((key) => !isEqual(comparable[key], before[key]))
    .toSorted();
  return [forbidden('spec', `${fixedSpec}\nchanged: ${changed.join(', ')}`)];
}

/** The new spec with everything that may change put back to what it was. */
function withAllowed(spec: JsonObject, before: JsonObject, gated: boolean): JsonObject {
  const result: JsonObject = { ...spec };
  const restore = ['activeDeadlineSeconds', 'tolerations', 'schedulingGates'];
  if (gated) restore.push('nodeSelector');
  const oldGrace = numberAt(before, 'terminationGracePeriodSeconds') ?? 0;
  if (oldGrace < 0 && spec['terminationGracePeriodSeconds'] === 1) {
    restore.push('terminationGracePeriodSeconds');
  }
  for (const key of restore) copyField(result, before, key);
  if (gated && spec['affinity'] !== undefined) {
    result['affinity'] = withRequiredTerms(objectAt(spec, 'affinity'), before);
    if (before['affinity'] === undefined && onlyEmpty(result['affinity']))
      delete result['affinity'];
  }
  for (const key of ['containers', 'initContainers']) {
    const olds = objectsAt(before, key);
    if (spec[key] === undefined) continue;
    result[key] = objectsAt(spec, key).map((container, index) => ({
      ...container,
      image: olds[index]?.['image'] ?? null,
    }));
  }
  return result;
}

function copyField(to: JsonObject, from: JsonObject, key: string): void {
  const value = from[key];
  if (value === undefined) delete to[key];
  else to[key] = value;
}

/** The required node selector terms are judged on their own, so they are put back here. */
function withRequiredTerms(affinity: JsonObject | undefined, before: JsonObject): JsonObject {
  const oldNode = objectAt(objectAt(before, 'affinity'), 'nodeAffinity') ?? {};
  const node = { ...objectAt(affinity, 'nodeAffinity') };
  copyField(node, oldNode, 'requiredDuringSchedulingIgnoredDuringExecution');
  const result: JsonObject = { ...affinity, nodeAffinity: node };
  if (Object.keys(node).length === 0 && Object.keys(oldNode).length === 0) {
    delete result['nodeAffinity'];
    copyField(result, objectAt(before, 'affinity') ?? {}, 'nodeAffinity');
  }
  return result;
}

const onlyEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

function validateDeadline(spec: JsonObject, before: JsonObject): FieldError[] {
  const field = 'spec.activeDeadlineSeconds';
  const now = numberAt(spec, 'activeDeadlineSeconds');
  const then = numberAt(before, 'activeDeadlineSeconds');
  if (then === undefined) return [];
  if (now === undefined) {
    return [invalid(field, null, 'must not update from a positive integer to nil value')];
  }
  return now > then ? [invalid(field, now, 'must be less than or equal to previous value')] : [];
}

function validateAddedTolerations(spec: JsonObject, before: JsonObject): FieldError[] {
  const now = objectsAt(spec, 'tolerations').map(withoutSeconds);
  const kept = objectsAt(before, 'tolerations')
    .map(withoutSeconds)
    .every((old) => now.some((toleration) => isEqual(toleration, old)));
  if (kept) return [];
  const detail = 'existing toleration can not be modified except its tolerationSeconds';
  return [forbidden('spec.tolerations', detail)];
}

function withoutSeconds(toleration: JsonObject): JsonObject {
  const rest = { ...toleration };
  delete rest['tolerationSeconds'];
  return rest;
}

function validateRemovedGates(spec: JsonObject, before: JsonObject): FieldError[] {
  const old = new Set(objectsAt(before, 'schedulingGates').map((gate) => textAt(gate, 'name')));
  return objectsAt(spec, 'schedulingGates').flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    if (old.has(name)) return [];
    const detail = `only deletion is allowed, but found new scheduling gate '${name}'`;
    return [forbidden(`spec.schedulingGates[${index}].name`, detail)];
  });
}

function validateTighterPlacement(spec: JsonObject, before: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const selector = objectAt(spec, 'nodeSelector') ?? {};
  const lost = Object.entries(objectAt(before, 'nodeSelector') ?? {}).some(
    ([key, value]) => selector[key] !== value,
  );
  if (lost) {
    const detail = 'only additions to spec.nodeSelector are allowed (no mutations or deletions)';
    errors.push(invalid('spec.nodeSelector', selector, detail));
  }
  return [...errors, ...validateTerms(spec, before)];
}

function validateTerms(spec: JsonObject, before: JsonObject): FieldError[] {
  const base = 'spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution';
  const old = requiredTerms(before);
  if (old === undefined || old.length === 0) return [];
  const now = requiredTerms(spec);
  if (now === undefined) return [required(base)];
  const field = `${base}.nodeSelectorTerms`;
  if (now.length !== old.length) {
    const detail = 'no additions/deletions to non-empty NodeSelectorTerms list are allowed';
    return [invalid(field, now, detail)];
  }
  return now.flatMap((term, index) => {
    const then = old[index] ?? {};
    if (onlyAdds(term, then, 'matchExpressions') && onlyAdds(term, then, 'matchFields')) return [];
    return [
      invalid(`${field}[${index}]`, term, 'only additions are allowed (no mutations or deletions)'),
    ];
  });
}

function requiredTerms(spec: JsonObject): JsonObject[] | undefined {
  const node = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  const wanted = objectAt(node, 'requiredDuringSchedulingIgnoredDuringExecution');
  return wanted === undefined ? undefined : objectsAt(wanted, 'nodeSelectorTerms');
}

/** An empty term matches nothing, so adding to it would widen the choice. */
function onlyAdds(term: JsonObject, then: JsonObject, key: string): boolean {
  const old = objectsAt(then, key);
  const now = objectsAt(term, key);
  if (Object.keys(then).length === 0 && now.length > 0) return false;
  return old.every((expression, index) => isEqual(expression, now[index]));
}
