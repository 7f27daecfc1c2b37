// The rules for a whole pod, or for a pod template inside another object, as it stands alone.
// Rules for changes are in update.ts.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import {
  duplicate,
  forbidden,
  invalid,
  invalidEach,
  required,
} from '#machines/kubernetes/field-errors.ts';
import { numberAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from '#machines/kubernetes/names.ts';
import { validateLabels } from '#machines/kubernetes/object-meta.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '../../contract.ts';
import { validateContainers, validateOneOf } from './validate-containers.ts';

export const validatePod = (pod: Stored): FieldError[] => {
  const spec = objectAt(pod, 'spec');
  return spec === undefined ? [required('spec')] : validatePodSpec(spec, 'spec');
};

/** Gates come with the pod or not at all, and only a pod without a node can wait. */
export function validateNewPod(pod: Stored): FieldError[] {
  const spec = objectAt(pod, 'spec');
  const errors = validatePod(pod);
  if (objectsAt(spec, 'schedulingGates').length > 0 && textAt(spec, 'nodeName') !== '') {
    const detail = 'cannot be set until all schedulingGates have been cleared';
    errors.push(forbidden('spec.nodeName', detail));
  }
  return errors;
}

/** `field` is the path of the spec, e.g. `spec.template.spec`. */
export function validatePodSpec(spec: JsonObject, field: string): FieldError[] {
  const volumes = objectsAt(spec, 'volumes');
  const volumeNames = new Set(volumes.map((volume) => textAt(volume, 'name')));
  return [
    ...validateVolumes(volumes, `${field}.volumes`),
    ...validateContainers(spec, field, volumeNames),
    ...validateOneOf(spec, 'restartPolicy', field, ['Always', 'OnFailure', 'Never']),
    ...validateOneOf(spec, 'dnsPolicy', field, [
      'ClusterFirstWithHostNet',
      'ClusterFirst',
      'Default',
      'None',
    ]),
    ...validateOneOf(spec, 'preemptionPolicy', field, ['Never', 'PreemptLowerPriority']),
    ...validateNames(spec, field),
    ...validateNumbers(spec, field),
    ...validateTolerations(spec, `${field}.tolerations`),
    ...validateGates(spec, field),
    ...validateClaims(spec, `${field}.resourceClaims`),
    ...validateSpread(spec, `${field}.topologySpreadConstraints`),
    ...validateNodeAffinity(spec, `${field}.affinity`),
  ];
}

function validateVolumes(volumes: readonly JsonObject[], field: string): FieldError[] {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const name = textAt(volume, 'name');
    const at = `${field}[${index}]`;
    const errors =
      name === '' ? [required(`${at}.name`)] : invalidEach(`${at}.name`, name, checkLabel(name));
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    const sources = Object.keys(volume).filter((key) => key !== 'name');
    const extra = sources[1];
    if (extra !== undefined) {
      errors.push(forbidden(`${at}.${extra}`, 'may not specify more than 1 volume type'));
    }
    return errors;
  });
}

function validateNames(spec: JsonObject, field: string): FieldError[] {
  const errors = ['hostname', 'subdomain'].flatMap((key) => {
    const value = textAt(spec, key);
    return value === '' ? [] : invalidEach(`${field}.${key}`, value, checkLabel(value));
  });
  for (const key of ['serviceAccountName', 'nodeName', 'priorityClassName']) {
    const value = textAt(spec, key);
    if (value !== '') errors.push(...invalidEach(`${field}.${key}`, value, checkSubdomain(value)));
  }
  errors.push(...validateLabels(spec['nodeSelector'], `${field}.nodeSelector`));
  return errors;
}

function validateNumbers(spec: JsonObject, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const deadline = numberAt(spec, 'activeDeadlineSeconds');
  if (deadline !== undefined && (deadline < 1 || deadline > 2147483647)) {
    const detail = 'must be between 1 and 2147483647, inclusive';
    errors.push(invalid(`${field}.activeDeadlineSeconds`, deadline, detail));
  }
  return errors;
}

function validateTolerations(spec: JsonObject, field: string): FieldError[] {
  return objectsAt(spec, 'tolerations').flatMap((toleration, index) => {
    const at = `${field}[${index}]`;
    const key = textAt(toleration, 'key');
    const operator = textAt(toleration, 'operator');
    const value = textAt(toleration, 'value');
    const errors = key === '' ? [] : invalidEach(`${at}.key`, key, checkQualifiedName(key));
    if (key === '' && operator !== 'Exists') {
      const detail =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      errors.push(invalid(`${at}.operator`, operator, detail));
    }
    if (operator === 'Exists' && value !== '') {
      errors.push(
        invalid(`${at}.operator`, value, "value must be empty when `operator` is 'Exists'"),
      );
    }
    if (operator !== 'Exists')
      errors.push(...invalidEach(`${at}.operator`, value, checkLabelValue(value)));
    errors.push(...validateOneOf(toleration, 'operator', at, ['Equal', 'Exists']));
    if (
      toleration['tolerationSeconds'] !== undefined &&
      textAt(toleration, 'effect') !== 'NoExecute'
    ) {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      errors.push(invalid(`${at}.effect`, textAt(toleration, 'effect'), detail));
    }
    const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
    return [...errors, ...validateOneOf(toleration, 'effect', at, effects)];
  });
}

function validateGates(spec: JsonObject, field: string): FieldError[] {
  const names = new Set<string>();
  const gates = objectsAt(spec, 'schedulingGates');
  const errors = gates.flatMap((gate, index) => {
    const name = textAt(gate, 'name');
    const at = `${field}.schedulingGates[${index}]`;
    const wrong = invalidEach(at, name, checkQualifiedName(name));
    if (name !== '' && names.has(name)) wrong.push(duplicate(at, name));
    names.add(name);
    return wrong;
  });
  return errors;
}

function validateClaims(spec: JsonObject, field: string): FieldError[] {
  const names = new Set<string>();
  return objectsAt(spec, 'resourceClaims').flatMap((claim, index) => {
    const at = `${field}[${index}]`;
    const name = textAt(claim, 'name');
    const errors =
      name === '' ? [required(`${at}.name`)] : invalidEach(`${at}.name`, name, checkLabel(name));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    return [...errors, ...validateSource(claim, at)];
  });
}

function validateSource(claim: JsonObject, at: string): FieldError[] {
  const sources = ['resourceClaimName', 'resourceClaimTemplateName'];
  const named = sources.filter((key) => textAt(claim, key) !== '');
  if (named.length === 1) return [];
  const what = named.length === 0 ? 'must specify one of' : 'at most one of';
  const choice = sources.map((key) => `\`${key}\``).join(', ');
  const detail = named.length === 0 ? `${what}: ${choice}` : `${what} ${choice} may be specified`;
  return [invalid(at, claim, detail)];
}

function validateSpread(spec: JsonObject, field: string): FieldError[] {
  return objectsAt(spec, 'topologySpreadConstraints').flatMap((constraint, index) => {
    const at = `${field}[${index}]`;
    const skew = numberAt(constraint, 'maxSkew') ?? 0;
    const errors = skew > 0 ? [] : [invalid(`${at}.maxSkew`, skew, 'must be greater than zero')];
    if (textAt(constraint, 'topologyKey') === '') {
      errors.push(required(`${at}.topologyKey`, 'can not be empty'));
    }
    const choices = ['DoNotSchedule', 'ScheduleAnyway'];
    return [...errors, ...validateOneOf(constraint, 'whenUnsatisfiable', at, choices)];
  });
}

const selectorOperators = ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'];

function validateNodeAffinity(spec: JsonObject, field: string): FieldError[] {
  const affinity = objectAt(objectAt(spec, 'affinity'), 'nodeAffinity');
  const wanted = objectAt(affinity, 'requiredDuringSchedulingIgnoredDuringExecution');
  if (wanted === undefined) return [];
  const at = `${field}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms`;
  const terms = objectsAt(wanted, 'nodeSelectorTerms');
  if (terms.length === 0) return [required(at, 'must have at least one node selector term')];
  return terms.flatMap((term, t) =>
    objectsAt(term, 'matchExpressions').flatMap((expression, e) =>
      validateExpression(expression, `${at}[${t}].matchExpressions[${e}]`),
    ),
  );
}

function validateExpression(expression: JsonObject, at: string): FieldError[] {
  const key = textAt(expression, 'key');
  const operator = textAt(expression, 'operator');
  const values = expression['values'];
  const count = Array.isArray(values) ? values.length : 0;
  const errors = invalidEach(`${at}.key`, key, checkQualifiedName(key));
  if (!selectorOperators.includes(operator)) {
    return [...errors, invalid(`${at}.operator`, operator, 'not a valid selector operator')];
  }
  const list = operator === 'In' || operator === 'NotIn';
  if (list && count === 0) {
    errors.push(required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if (operator.endsWith('Exist') || operator === 'Exists') {
    if (count > 0) {
      const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
      errors.push(forbidden(`${at}.values`, detail));
    }
  } else if (!list && count !== 1) {
    const detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    errors.push(required(`${at}.values`, detail));
  }
  return errors;
}
