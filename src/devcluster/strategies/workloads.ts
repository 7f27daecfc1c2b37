// The strategies of the objects that Coppice makes or reads beside pods: autoscalers, disruption
// budgets and resource claims.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { duplicate, invalid, invalidEach, required } from '#machines/kubernetes/field-errors.ts';
import {
  ensureObject,
  numberAt,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '#machines/kubernetes/fields.ts';
import { checkLabel, checkPathSegment } from '#machines/kubernetes/names.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '../contract.ts';
import { immutable, withStatus } from './base.ts';

const defaultUtilisation = 80;

const percent = (value: number): JsonObject => ({ periodSeconds: 15, type: 'Percent', value });

/** As soon as one direction is spoken of, both get what was left out. */
function defaultBehavior(behavior: JsonObject): void {
  const up = ensureObject(behavior, 'scaleUp');
  const down = ensureObject(behavior, 'scaleDown');
  setDefault(up, 'stabilizationWindowSeconds', 0);
  setDefault(up, 'policies', [{ periodSeconds: 15, type: 'Pods', value: 4 }, percent(100)]);
  setDefault(down, 'policies', [percent(100)]);
  for (const direction of [up, down]) setDefault(direction, 'selectPolicy', 'Max');
}

function defaultAutoscaler(autoscaler: Stored): void {
  const spec = ensureObject(autoscaler, 'spec');
  const behavior = objectAt(spec, 'behavior');
  if (behavior !== undefined) defaultBehavior(behavior);
  setDefault(spec, 'minReplicas', 1);
  if (objectsAt(spec, 'metrics').length > 0) return;
  const target = { type: 'Utilization', averageUtilization: defaultUtilisation };
  spec['metrics'] = [{ type: 'Resource', resource: { name: 'cpu', target } }];
}

function validateAutoscaler(autoscaler: Stored): FieldError[] {
  const spec = objectAt(autoscaler, 'spec') ?? {};
  const target = objectAt(spec, 'scaleTargetRef') ?? {};
  const errors: FieldError[] = [];
  const least = numberAt(spec, 'minReplicas') ?? 1;
  const most = numberAt(spec, 'maxReplicas') ?? 0;
  if (least < 1)
    errors.push(invalid('spec.minReplicas', least, 'must be greater than or equal to 1'));
  if (most < 1) errors.push(invalid('spec.maxReplicas', most, 'must be greater than 0'));
  if (most < least) {
    const detail = 'must be greater than or equal to `minReplicas`';
    errors.push(invalid('spec.maxReplicas', most, detail));
  }
  for (const key of ['kind', 'name']) {
    const value = textAt(target, key);
    const field = `spec.scaleTargetRef.${key}`;
    if (value === '') errors.push(required(field));
    else errors.push(...invalidEach(field, value, checkPathSegment(value)));
  }
  const apiVersion = textAt(target, 'apiVersion');
  if (!apiVersion.includes('/')) {
    const detail = 'apiVersion must specify API group';
    errors.push(invalid('spec.scaleTargetRef.apiVersion', apiVersion, detail));
  }
  return errors;
}

export const autoscalerStrategy: Strategy = withStatus({
  countsGeneration: false,
  defaults: defaultAutoscaler,
  prepareCreate: (autoscaler) => {
    autoscaler['status'] = { currentMetrics: null, desiredReplicas: 0 };
  },
  validate: validateAutoscaler,
  validateUpdate: validateAutoscaler,
});

const notNegative = 'must be greater than or equal to 0';

function validateBudget(budget: Stored): FieldError[] {
  const spec = objectAt(budget, 'spec') ?? {};
  const present = ['minAvailable', 'maxUnavailable'].filter((key) => spec[key] !== undefined);
  if (present.length === 2) {
    return [invalid('spec', spec, 'minAvailable and maxUnavailable cannot be both set')];
  }
  return present.flatMap((key) => {
    const value = spec[key];
    if (typeof value === 'number') {
      return value < 0 ? [invalid(`spec.${key}`, value, notNegative)] : [];
    }
    if (
      typeof value === 'string' &&
      /^\d{1,3}%$/.test(value) &&
      Number.parseInt(value, 10) <= 100
    ) {
      return [];
    }
    if (typeof value === 'string' && /^\d+%$/.test(value)) {
      return [invalid(`spec.${key}`, value, 'must not be greater than 100%')];
    }
    const detail =
      "a valid percent string must be a numeric string followed by an ending '%'" +
      " (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
    return [invalid(`spec.${key}`, value, detail)];
  });
}

export const disruptionBudgetStrategy: Strategy = withStatus({
  prepareCreate: (budget) => {
    const counts = ['currentHealthy', 'desiredHealthy', 'disruptionsAllowed', 'expectedPods'];
    budget['status'] = Object.fromEntries(counts.map((name) => [name, 0]));
  },
  validate: (budget, subresource) => (subresource === '' ? validateBudget(budget) : []),
  validateUpdate: (budget, _old, subresource) => (subresource === '' ? validateBudget(budget) : []),
});

function defaultClaimSpec(spec: JsonObject): void {
  for (const request of objectsAt(objectAt(spec, 'devices'), 'requests')) {
    for (const asked of [objectAt(request, 'exactly'), ...objectsAt(request, 'firstAvailable')]) {
      if (asked === undefined) continue;
      setDefault(asked, 'allocationMode', 'ExactCount');
      if (asked['allocationMode'] === 'ExactCount') setDefault(asked, 'count', 1);
    }
  }
}

function validateClaimSpec(spec: JsonObject, at: string): FieldError[] {
  const names = new Set<string>();
  return objectsAt(objectAt(spec, 'devices'), 'requests').flatMap((request, index) => {
    const field = `${at}.devices.requests[${index}]`;
    const name = textAt(request, 'name');
    const errors = invalidEach(`${field}.name`, name, checkLabel(name));
    const repeated = name !== '' && names.has(name);
    names.add(name);
    const exactly = objectAt(request, 'exactly');
    if (exactly === undefined && objectsAt(request, 'firstAvailable').length === 0) {
      errors.push(required(field, 'exactly one of `exactly` or `firstAvailable` is required'));
    }
    if (exactly !== undefined && textAt(exactly, 'deviceClassName') === '') {
      errors.push(required(`${field}.exactly.deviceClassName`));
    }
    if (repeated) errors.push(duplicate(field, name));
    return errors;
  });
}

const claimSpec = (claim: Stored): JsonObject => objectAt(claim, 'spec') ?? {};

export const resourceClaimStrategy: Strategy = withStatus({
  countsGeneration: false,
  prepareCreate: (claim) => {
    claim['status'] = {};
  },
  defaults: (claim) => defaultClaimSpec(ensureObject(claim, 'spec')),
  validate: (claim, subresource) =>
    subresource === '' ? validateClaimSpec(claimSpec(claim), 'spec') : [],
  validateUpdate: (claim, old, subresource) =>
    subresource === '' ? immutable(claim, old, 'spec') : [],
});

const templateSpec = (template: Stored): JsonObject => objectAt(claimSpec(template), 'spec') ?? {};

export const resourceClaimTemplateStrategy: Strategy = {
  hasStatus: false,
  defaults: (template) => {
    const spec = ensureObject(template, 'spec');
    ensureObject(spec, 'metadata');
    defaultClaimSpec(ensureObject(spec, 'spec'));
  },
  validate: (template) => validateClaimSpec(templateSpec(template), 'spec.spec'),
  validateUpdate: (template, old) => immutable(template, old, 'spec'),
};
