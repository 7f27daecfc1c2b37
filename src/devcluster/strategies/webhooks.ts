// The strategies of webhook configurations and of CustomResourceDefinitions' own envelope (the
// schema inside a CRD is judged where CRDs are installed).
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import {
  duplicate,
  invalid,
  invalidEach,
  notSupported,
  required,
} from '#machines/kubernetes/field-errors.ts';
import {
  ensureObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '#machines/kubernetes/fields.ts';
import { checkSubdomain } from '#machines/kubernetes/names.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '../contract.ts';
import { withStatus } from './base.ts';
import { validateOneOf } from './pods/validate-containers.ts';

const defaultTimeoutSeconds = 10;

function defaultWebhooks(configuration: Stored, mutating: boolean): void {
  for (const webhook of objectsAt(configuration, 'webhooks')) {
    setDefault(webhook, 'failurePolicy', 'Fail');
    setDefault(webhook, 'matchPolicy', 'Equivalent');
    setDefault(webhook, 'namespaceSelector', {});
    setDefault(webhook, 'objectSelector', {});
    setDefault(webhook, 'timeoutSeconds', defaultTimeoutSeconds);
    if (mutating) setDefault(webhook, 'reinvocationPolicy', 'Never');
    for (const rule of objectsAt(webhook, 'rules')) setDefault(rule, 'scope', '*');
    const service = objectAt(objectAt(webhook, 'clientConfig'), 'service');
    if (service !== undefined) setDefault(service, 'port', 443);
  }
}

function validateWebhooks(configuration: Stored): FieldError[] {
  const names = new Set<string>();
  return objectsAt(configuration, 'webhooks').flatMap((webhook, index) => {
    const at = `webhooks[${index}]`;
    const name = textAt(webhook, 'name');
    const errors = validateWebhook(webhook, at);
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    return errors;
  });
}

function validateWebhook(webhook: JsonObject, at: string): FieldError[] {
  const timeout = numberAt(webhook, 'timeoutSeconds') ?? defaultTimeoutSeconds;
  const effects = textAt(webhook, 'sideEffects');
  const errors = validateWebhookName(textAt(webhook, 'name'), `${at}.name`);
  if (timeout < 1 || timeout > 30) {
    const detail = 'the timeout value must be between 1 and 30 seconds';
    errors.push(invalid(`${at}.timeoutSeconds`, timeout, detail));
  }
  if (effects === '')
    errors.push(required(`${at}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  else if (!['None', 'NoneOnDryRun'].includes(effects)) {
    errors.push(notSupported(`${at}.sideEffects`, effects, ['None', 'NoneOnDryRun']));
  }
  const versions = listAt(webhook, 'admissionReviewVersions');
  const versionField = `${at}.admissionReviewVersions`;
  if (versions.length === 0) errors.push(required(versionField, 'must specify one of v1, v1beta1'));
  else if (!versions.includes('v1') && !versions.includes('v1beta1')) {
    const detail = 'must include at least one of v1, v1beta1';
    errors.push(invalid(versionField, versions, detail));
  }
  return [
    ...errors,
    ...validateOneOf(webhook, 'failurePolicy', at, ['Fail', 'Ignore']),
    ...validateOneOf(webhook, 'matchPolicy', at, ['Equivalent', 'Exact']),
    ...validateOneOf(webhook, 'reinvocationPolicy', at, ['IfNeeded', 'Never']),
    ...validateClientConfig(objectAt(webhook, 'clientConfig') ?? {}, `${at}.clientConfig`),
    ...objectsAt(webhook, 'rules').flatMap((rule, i) => validateRule(rule, `${at}.rules[${i}]`)),
  ];
}

function validateWebhookName(name: string, field: string): FieldError[] {
  if (name === '') return [required(field)];
  const wrong = invalidEach(field, name, checkSubdomain(name));
  if (wrong.length > 0 || name.split('.').length >= 3) return wrong;
  return [
    invalid(field, name, 'should be a domain with at least three segments separated by dots'),
  ];
}

function validateClientConfig(config: JsonObject, at: string): FieldError[] {
  const url = textAt(config, 'url');
  const service = objectAt(config, 'service');
  if ((url === '') === (service === undefined)) {
    return [required(at, 'exactly one of url or service is required')];
  }
  if (service !== undefined) {
    return ['name', 'namespace']
      .filter((key) => textAt(service, key) === '')
      .map((key) => required(`${at}.service.${key}`));
  }
  const form = '; desired format: https://host[/path]';
  const parsed = URL.parse(url);
  if (parsed === null) return [required(`${at}.url`, `url must be a valid URL: ${url}${form}`)];
  if (parsed.protocol === 'https:') return [];
  const detail = `'https' is the only allowed URL scheme${form}`;
  return [invalid(`${at}.url`, parsed.protocol.slice(0, -1), detail)];
}

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];

function validateRule(rule: JsonObject, at: string): FieldError[] {
  const errors = ['operations', 'apiGroups', 'apiVersions', 'resources']
    .filter((key) => listAt(rule, key).length === 0)
    .map((key) => required(`${at}.${key}`));
  listAt(rule, 'operations').forEach((operation, index) => {
    if (typeof operation === 'string' && operations.includes(operation)) return;
    errors.push(notSupported(`${at}.operations[${index}]`, operation, operations));
  });
  return errors;
}

const configurationStrategy = (mutating: boolean): Strategy => ({
  hasStatus: false,
  countsGeneration: true,
  defaults: (configuration) => defaultWebhooks(configuration, mutating),
  validate: validateWebhooks,
  validateUpdate: validateWebhooks,
});

export const mutatingWebhookStrategy = configurationStrategy(true);
export const validatingWebhookStrategy = configurationStrategy(false);

function validateDefinition(definition: Stored): FieldError[] {
  const spec = objectAt(definition, 'spec') ?? {};
  const expected = `${textAt(objectAt(spec, 'names'), 'plural')}.${textAt(spec, 'group')}`;
  const name = textAt(definition.metadata, 'name');
  if (name === expected) return [];
  return [invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group')];
}

export const definitionStrategy: Strategy = withStatus({
  defaults: (definition) => {
    const spec = ensureObject(definition, 'spec');
    const names = ensureObject(spec, 'names');
    setDefault(ensureObject(spec, 'conversion'), 'strategy', 'None');
    setDefault(names, 'singular', textAt(names, 'kind').toLowerCase());
    setDefault(names, 'listKind', `${textAt(names, 'kind')}List`);
  },
  validate: (definition, subresource) => (subresource === '' ? validateDefinition(definition) : []),
});
