// The strategies of Roles, ClusterRoles and their bindings.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { invalid, invalidEach, notSupported, required } from '#machines/kubernetes/field-errors.ts';
import {
  ensureObject,
  listAt,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '#machines/kubernetes/fields.ts';
import { checkPathSegment, checkSubdomain } from '#machines/kubernetes/names.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '../contract.ts';
import { immutable } from './base.ts';

const rbacGroup = 'rbac.authorization.k8s.io';

function validateRule(rule: JsonObject, at: string, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (listAt(rule, 'verbs').length === 0) {
    errors.push(required(`${at}.verbs`, 'verbs must contain at least one value'));
  }
  const urls = listAt(rule, 'nonResourceURLs');
  if (urls.length > 0) {
    if (namespaced) {
      const detail = 'namespaced rules cannot apply to non-resource URLs';
      errors.push(invalid(`${at}.nonResourceURLs`, urls, detail));
    }
    const mixed = ['apiGroups', 'resources', 'resourceNames'].some(
      (key) => listAt(rule, key).length > 0,
    );
    if (mixed) {
      const detail = 'rules cannot apply to both regular resources and non-resource URLs';
      errors.push(invalid(`${at}.nonResourceURLs`, urls, detail));
    }
    return errors;
  }
  if (listAt(rule, 'apiGroups').length === 0) {
    errors.push(required(`${at}.apiGroups`, 'resource rules must supply at least one api group'));
  }
  if (listAt(rule, 'resources').length === 0) {
    errors.push(required(`${at}.resources`, 'resource rules must supply at least one resource'));
  }
  return errors;
}

const roleStrategyFor = (namespaced: boolean): Strategy => {
  const validate = (role: Stored): FieldError[] =>
    objectsAt(role, 'rules').flatMap((rule, i) => validateRule(rule, `rules[${i}]`, namespaced));
  const defaults = (role: Stored): void => void (role['rules'] ??= null);
  return { hasStatus: false, defaults, validate, validateUpdate: validate };
};

function defaultBinding(binding: Stored): void {
  setDefault(ensureObject(binding, 'roleRef'), 'apiGroup', rbacGroup);
  for (const subject of objectsAt(binding, 'subjects')) {
    if (['User', 'Group'].includes(textAt(subject, 'kind'))) {
      setDefault(subject, 'apiGroup', rbacGroup);
    }
  }
}

function validateBinding(binding: Stored, roleKinds: readonly string[]): FieldError[] {
  const role = objectAt(binding, 'roleRef') ?? {};
  const errors: FieldError[] = [];
  const group = textAt(role, 'apiGroup');
  if (group !== rbacGroup) errors.push(notSupported('roleRef.apiGroup', group, [rbacGroup]));
  const kind = textAt(role, 'kind');
  if (!roleKinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, roleKinds));
  const name = textAt(role, 'name');
  if (name === '') errors.push(required('roleRef.name'));
  else errors.push(...invalidEach('roleRef.name', name, checkPathSegment(name)));
  const subjects = objectsAt(binding, 'subjects').flatMap((subject, index) =>
    validateSubject(subject, `subjects[${index}]`),
  );
  return [...errors, ...subjects];
}

function validateSubject(subject: JsonObject, at: string): FieldError[] {
  const name = textAt(subject, 'name');
  const group = textAt(subject, 'apiGroup');
  const kind = textAt(subject, 'kind');
  const errors = name === '' ? [required(`${at}.name`)] : [];
  if (kind === 'ServiceAccount') {
    if (name !== '') errors.push(...invalidEach(`${at}.name`, name, checkSubdomain(name)));
    if (group !== '') errors.push(notSupported(`${at}.apiGroup`, group, ['']));
  } else if (kind === 'User' || kind === 'Group') {
    if (group !== rbacGroup) errors.push(notSupported(`${at}.apiGroup`, group, [rbacGroup]));
  } else {
    errors.push(notSupported(`${at}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  }
  return errors;
}

const bindingStrategyFor = (roleKinds: readonly string[]): Strategy => ({
  hasStatus: false,
  defaults: defaultBinding,
  validate: (binding) => validateBinding(binding, roleKinds),
  validateUpdate: (binding, old) => [
    ...validateBinding(binding, roleKinds),
    ...immutable(binding, old, 'roleRef', 'roleRef', 'cannot change roleRef'),
  ],
});

export const roleStrategy = roleStrategyFor(true);
export const clusterRoleStrategy = roleStrategyFor(false);
export const roleBindingStrategy = bindingStrategyFor(['Role', 'ClusterRole']);
export const clusterRoleBindingStrategy = bindingStrategyFor(['ClusterRole']);
