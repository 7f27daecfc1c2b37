// What the strategies of kinds that hold a pod template have in common, and those of Deployments
// and ReplicaSets. Nobody runs these two here: they are stored as a real server stores them, so
// that kubectl and helm can apply them.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { invalid, required } from '#machines/kubernetes/field-errors.ts';
import { ensureObject, objectAt, setDefault, textsAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '../contract.ts';
import { immutable, withStatus } from './base.ts';
import { defaultPodSpec } from './pods/defaults.ts';
import { validatePodSpec } from './pods/validate.ts';

const podSpecOf = (object: Stored): JsonObject =>
  ensureObject(ensureObject(ensureObject(object, 'spec'), 'template'), 'spec');

function validateTemplate(object: Stored): FieldError[] {
  const spec = objectAt(object, 'spec') ?? {};
  const wanted = textsAt(objectAt(spec, 'selector'), 'matchLabels');
  const labels = textsAt(objectAt(objectAt(spec, 'template'), 'metadata'), 'labels');
  const errors: FieldError[] = [];
  if (spec['selector'] === undefined) errors.push(required('spec.selector'));
  if (Object.entries(wanted).some(([key, value]) => labels[key] !== value)) {
    const detail = '`selector` does not match template `labels`';
    errors.push(invalid('spec.template.metadata.labels', labels, detail));
  }
  return [...errors, ...validatePodSpec(podSpecOf(object), 'spec.template.spec')];
}

export const templateStrategy = (
  defaults: (spec: JsonObject) => void,
  more: Pick<Strategy, 'prepareCreate' | 'prepareUpdate'> & {
    readonly check?: (spec: JsonObject) => readonly FieldError[];
  } = {},
): Strategy => {
  const check = (object: Stored): readonly FieldError[] =>
    more.check?.(objectAt(object, 'spec') ?? {}) ?? [];
  return withStatus({
    ...more,
    defaults: (object) => {
      defaultPodSpec(podSpecOf(object));
      defaults(ensureObject(object, 'spec'));
    },
    prepareCreate: (object, environment) => {
      object['status'] = {};
      more.prepareCreate?.(object, environment);
    },
    validate: (object, subresource) =>
      subresource === '' ? [...validateTemplate(object), ...check(object)] : [],
    validateUpdate: (object, old, subresource) => {
      if (subresource !== '') return [];
      const [spec, before] = [objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {}];
      return [
        ...validateTemplate(object),
        ...check(object),
        ...immutable(spec, before, 'selector', 'spec.selector'),
      ];
    },
  });
};

export const deploymentStrategy = templateStrategy((spec) => {
  setDefault(spec, 'replicas', 1);
  setDefault(spec, 'progressDeadlineSeconds', 600);
  setDefault(spec, 'revisionHistoryLimit', 10);
  const strategy = ensureObject(spec, 'strategy');
  setDefault(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] !== 'RollingUpdate') return;
  const rolling = ensureObject(strategy, 'rollingUpdate');
  setDefault(rolling, 'maxSurge', '25%');
  setDefault(rolling, 'maxUnavailable', '25%');
});

export const replicaSetStrategy = templateStrategy((spec) => setDefault(spec, 'replicas', 1));
