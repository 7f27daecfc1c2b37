// The strategy of DaemonSets: defaults, the update strategy's rules, and the number of the
// template, which is kept in an annotation, counted by the server, and is a label of the pods.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { forbidden, invalid, notSupported, required } from '#machines/kubernetes/field-errors.ts';
import {
  ensureObject,
  objectAt,
  setDefault,
  textAt,
  textsAt,
} from '#machines/kubernetes/fields.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '../contract.ts';
import { templateStrategy } from './templates.ts';

const generation = 'deprecated.daemonset.template.generation';

/** 0 where the number was made illegible. */
export const generationOf = (set: Stored): number =>
  Number.parseInt(textsAt(set.metadata, 'annotations')[generation] ?? '', 10) || 0;

function setGeneration(set: Stored, value: number): void {
  ensureObject(set.metadata, 'annotations')[generation] = String(value);
}

const templateOf = (set: Stored): JsonObject | undefined =>
  objectAt(objectAt(set, 'spec'), 'template');

function defaultUpdates(spec: JsonObject): void {
  setDefault(spec, 'revisionHistoryLimit', 10);
  const strategy = ensureObject(spec, 'updateStrategy');
  setDefault(strategy, 'type', 'RollingUpdate');
  if (strategy['type'] !== 'RollingUpdate') return;
  const rolling = ensureObject(strategy, 'rollingUpdate');
  setDefault(rolling, 'maxUnavailable', 1);
  setDefault(rolling, 'maxSurge', 0);
}

function checkSpec(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const selector = objectAt(spec, 'selector');
  const asked = ['matchLabels', 'matchExpressions'].map((key) => selector?.[key] ?? {});
  if (selector !== undefined && asked.every((each) => Object.keys(each).length === 0)) {
    errors.push(invalid('spec.selector', selector, 'empty selector is invalid for daemonset'));
  }
  const pod = objectAt(objectAt(spec, 'template'), 'spec');
  const policy = textAt(pod, 'restartPolicy');
  if (policy !== 'Always') {
    errors.push(notSupported('spec.template.spec.restartPolicy', policy, ['Always']));
  }
  if (pod?.['activeDeadlineSeconds'] !== undefined) {
    const detail = 'activeDeadlineSeconds in DaemonSet is not Supported';
    errors.push(forbidden('spec.template.spec.activeDeadlineSeconds', detail));
  }
  return [...errors, ...checkUpdates(objectAt(spec, 'updateStrategy') ?? {})];
}

function checkUpdates(strategy: JsonObject): FieldError[] {
  const at = 'spec.updateStrategy';
  const type = textAt(strategy, 'type');
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return [notSupported(at, strategy, ['RollingUpdate', 'OnDelete'])];
  const rolling = objectAt(strategy, 'rollingUpdate') ?? {};
  const [unavailable, surge] = ['maxUnavailable', 'maxSurge'].map(
    (key) => Number.parseInt(String(rolling[key]), 10) > 0,
  );
  if (unavailable && surge) {
    const detail = 'may not be set when maxUnavailable is non-zero';
    return [invalid(`${at}.rollingUpdate.maxSurge`, rolling['maxSurge'], detail)];
  }
  if (unavailable || surge) return [];
  return [required(`${at}.rollingUpdate.maxUnavailable`, 'cannot be 0 when maxSurge is 0')];
}

const strategy = templateStrategy(defaultUpdates, {
  check: checkSpec,
  prepareCreate: (set) => {
    setGeneration(set, Math.max(1, generationOf(set)));
    set['status'] = {
      currentNumberScheduled: 0,
      desiredNumberScheduled: 0,
      numberMisscheduled: 0,
      numberReady: 0,
    };
  },
  prepareUpdate: (set, old, subresource) => {
    const isSame = subresource !== '' || isEqual(templateOf(set), templateOf(old));
    setGeneration(set, generationOf(old) + (isSame ? 0 : 1));
  },
});

export const daemonSetStrategy: Strategy = {
  ...strategy,
  defaults: (set, environment) => {
    strategy.defaults?.(set, environment);
    // Before it is told who owns which field: the number belongs to who made the set.
    setDefault(ensureObject(set.metadata, 'annotations'), generation, '1');
  },
};
