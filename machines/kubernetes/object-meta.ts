// The rules for `metadata` that all kinds share: names, labels, annotations, finalizers and owner
// references. The REST layer calls them on every create and update, before the kind's own rules.
import { forbidden, invalid, invalidEach, required, tooLong } from './field-errors.ts';
import type { FieldError } from './field-errors.ts';
import { listAt, objectAt, textAt } from './fields.ts';
import { isObject } from './json.ts';
import {
  checkLabel,
  checkLabelValue,
  checkName,
  checkNamePrefix,
  checkQualifiedName,
  type NameRule,
} from './names.ts';
import type { JsonObject } from './objects.ts';

/** Keys and values of all annotations together, in bytes. */
export const annotationBytesLimit = 256 * 1024;

type WithMetadata = JsonObject & { readonly metadata: JsonObject };

/**
 * Everything in `metadata` that can be judged from the object alone. Custom kinds and their
 * definitions may have finalizers without a slash (`qualifiedFinalizers` false).
 */
export function validateObjectMeta(
  object: WithMetadata,
  namespaced: boolean,
  nameRule: NameRule = 'subdomain',
  qualifiedFinalizers = true,
): FieldError[] {
  const meta = object.metadata;
  return [
    ...validateName(meta, nameRule),
    ...validateNamespace(meta, namespaced),
    ...validateLabels(meta['labels'], 'metadata.labels'),
    ...validateAnnotations(meta['annotations'], 'metadata.annotations'),
    ...validateOwners(meta),
    ...validateFinalizers(meta, qualifiedFinalizers),
  ];
}

function validateName(meta: JsonObject, rule: NameRule): FieldError[] {
  const errors: FieldError[] = [];
  const prefix = textAt(meta, 'generateName');
  if (prefix !== '') {
    errors.push(...invalidEach('metadata.generateName', prefix, checkNamePrefix(rule, prefix)));
  }
  const name = textAt(meta, 'name');
  if (name === '')
    return [...errors, required('metadata.name', 'name or generateName is required')];
  return [...errors, ...invalidEach('metadata.name', name, checkName(rule, name))];
}

function validateNamespace(meta: JsonObject, namespaced: boolean): FieldError[] {
  const namespace = textAt(meta, 'namespace');
  if (!namespaced) {
    return namespace === '' ? [] : [forbidden('metadata.namespace', 'not allowed on this type')];
  }
  if (namespace === '') return [required('metadata.namespace')];
  return invalidEach('metadata.namespace', namespace, checkLabel(namespace));
}

/** A map of labels at any place of an object (metadata, selectors, templates). */
export function validateLabels(labels: unknown, field: string): FieldError[] {
  if (!isObject(labels)) return [];
  return Object.entries(labels).flatMap(([key, value]) => [
    ...invalidEach(field, key, checkQualifiedName(key)),
    ...(typeof value === 'string' ? invalidEach(field, value, checkLabelValue(value)) : []),
  ]);
}

/** A map of annotations at any place of an object. */
export function validateAnnotations(annotations: unknown, field: string): FieldError[] {
  if (!isObject(annotations)) return [];
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    errors.push(...invalidEach(field, key, checkQualifiedName(key.toLowerCase())));
    bytes += Buffer.byteLength(key);
    if (typeof value === 'string') bytes += Buffer.byteLength(value);
  }
  if (bytes > annotationBytesLimit) errors.push(tooLong(field, annotationBytesLimit));
  return errors;
}

function validateOwners(meta: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const controllers: string[] = [];
  for (const given of listAt(meta, 'ownerReferences')) {
    // Go reads null as an owner without any field.
    const owner = isObject(given) ? given : {};
    const field = 'metadata.ownerReferences';
    for (const key of ['apiVersion', 'kind', 'name', 'uid']) {
      if (textAt(owner, key) !== '') continue;
      const detail = key === 'apiVersion' ? 'version must not be empty' : 'must not be empty';
      errors.push(invalid(`${field}.${key}`, '', detail));
    }
    if (textAt(owner, 'apiVersion') === 'v1' && textAt(owner, 'kind') === 'Event') {
      errors.push(invalid(field, owner, '/v1, Kind=Event is disallowed from being an owner'));
    }
    if (owner['controller'] !== true) continue;
    controllers.push(`${textAt(owner, 'kind')}/${textAt(owner, 'name')}`);
  }
  if (controllers.length > 1) {
    const found = `Found "true" in references for ${controllers[0]} and ${controllers[1]}`;
    const detail = `Only one reference can have Controller set to true. ${found}`;
    errors.push(invalid('metadata.ownerReferences', meta['ownerReferences'], detail));
  }
  return errors;
}

const standardFinalizers = ['kubernetes', 'orphan', 'foregroundDeletion'];

function validateFinalizers(meta: JsonObject, qualified: boolean): FieldError[] {
  const field = 'metadata.finalizers';
  const finalizers = finalizersOf(meta);
  const errors = finalizers.flatMap((name) => invalidEach(field, name, checkQualifiedName(name)));
  if (finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')) {
    const detail = 'finalizer orphan and foregroundDeletion cannot be both set';
    errors.push(invalid(field, finalizers, detail));
  }
  finalizers.forEach((name, index) => {
    if (!qualified || name.includes('/') || standardFinalizers.includes(name)) return;
    const detail = 'name is neither a standard finalizer name nor is it fully qualified';
    errors.push(invalid(`${field}[${index}]`, name, detail));
  });
  return errors;
}

const finalizersOf = (meta: JsonObject): string[] =>
  // Go reads null as an empty text.
  listAt(meta, 'finalizers').map((name) => (typeof name === 'string' ? name : ''));

/** What `metadata` may not do from one version to the next, beyond what the server owns anyway. */
export function validateObjectMetaUpdate(object: WithMetadata, old: WithMetadata): FieldError[] {
  const meta = objectAt(object, 'metadata') ?? {};
  if (textAt(old.metadata, 'deletionTimestamp') === '') return [];
  const before = finalizersOf(old.metadata);
  const added = finalizersOf(meta).filter((name) => !before.includes(name));
  if (added.length === 0) return [];
  const listed = added.map((name) => `"${name}"`).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${listed}}`;
  return [forbidden('metadata.finalizers', detail)];
}
