// The strategies of Secrets, ConfigMaps and ServiceAccounts.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import {
  forbidden,
  invalid,
  invalidEach,
  required,
  tooLong,
} from '#machines/kubernetes/field-errors.ts';
import { isTrue, objectAt, setDefault, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import { checkConfigKey } from '#machines/kubernetes/names.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '../contract.ts';
import { immutable } from './base.ts';

/** Contents of one Secret or ConfigMap, in bytes. */
export const contentBytesLimit = 1024 * 1024;

const sealed = 'field is immutable when `immutable` is set';

/** Once `immutable: true` is stored, neither it nor the named fields may change. */
function validateSealed(object: Stored, old: Stored, keys: readonly string[]): FieldError[] {
  if (!isTrue(old, 'immutable')) return [];
  const changed = keys.filter((key) => !isEqual(object[key] ?? {}, old[key] ?? {}));
  if (!isTrue(object, 'immutable')) changed.unshift('immutable');
  return changed.map((key) => forbidden(key, sealed));
}

function validateContent(object: Stored, keys: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const key of keys) {
    for (const [name, content] of Object.entries(textsAt(object, key))) {
      errors.push(...invalidEach(`${key}[${name}]`, name, checkConfigKey(name)));
      bytes += key === 'data' && keys.length === 1 ? base64Bytes(content) : content.length;
    }
  }
  if (bytes > contentBytesLimit) errors.push(tooLong(keys[0] ?? '', contentBytesLimit));
  return errors;
}

const base64Bytes = (text: string): number => Math.floor((text.length * 3) / 4);

const tokenType = 'kubernetes.io/service-account-token';
export const tokenAccountAnnotation = 'kubernetes.io/service-account.name';

/** Keys that a Secret of a type must hold, as `data[...]`. */
const keysOfType: Record<string, readonly string[]> = {
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
};

function validateSecret(secret: Stored): FieldError[] {
  const errors = validateContent(secret, ['data']);
  const type = textAt(secret, 'type');
  const data = objectAt(secret, 'data') ?? {};
  if (type === tokenType) {
    const account = textsAt(secret.metadata, 'annotations')[tokenAccountAnnotation] ?? '';
    if (account === '') {
      errors.push(required(`metadata.annotations[${tokenAccountAnnotation}]`));
    }
  }
  for (const key of keysOfType[type] ?? []) {
    if (data[key] === undefined) errors.push(required(`data[${key}]`));
  }
  const basic = ['username', 'password'];
  if (type === 'kubernetes.io/basic-auth' && basic.every((key) => data[key] === undefined)) {
    errors.push(required('data[username]'), required('data[password]'));
  }
  return errors;
}

/** `stringData` is a way to write `data` only. */
function encodeStringData(secret: JsonObject): void {
  const plain = textsAt(secret, 'stringData');
  delete secret['stringData'];
  if (Object.keys(plain).length === 0) return;
  const data: JsonObject = { ...objectAt(secret, 'data') };
  for (const [key, text] of Object.entries(plain)) {
    data[key] = Buffer.from(text, 'utf8').toString('base64');
  }
  secret['data'] = data;
}

export const secretStrategy: Strategy = {
  hasStatus: false,
  defaults: (secret) => {
    setDefault(secret, 'type', 'Opaque');
    encodeStringData(secret);
  },
  validate: validateSecret,
  validateUpdate: (secret, old) => [
    ...immutable(secret, old, 'type'),
    ...validateSealed(secret, old, ['data']),
    ...validateSecret(secret),
  ],
  selectableFields: (secret) => ({ type: textAt(secret, 'type') }),
};

function validateConfigMap(configMap: Stored): FieldError[] {
  const binary = textsAt(configMap, 'binaryData');
  const clash = Object.keys(textsAt(configMap, 'data'))
    .filter((key) => binary[key] !== undefined)
    .map((key) => {
      const detail = 'duplicate of key present in binaryData';
      return invalid(`data[${key}]`, key, detail);
    });
  return [...validateContent(configMap, ['data', 'binaryData']), ...clash];
}

export const configMapStrategy: Strategy = {
  hasStatus: false,
  validate: validateConfigMap,
  validateUpdate: (configMap, old) => [
    ...validateSealed(configMap, old, ['data', 'binaryData']),
    ...validateConfigMap(configMap),
  ],
};

export const serviceAccountStrategy: Strategy = { hasStatus: false };
