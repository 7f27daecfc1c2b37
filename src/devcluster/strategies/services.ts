// The strategy of Services: addresses out of 10.96.0.0/12, defaults by type, ports, immutability.
import type { Random } from '#actors/ports.ts';
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
import { isEqual } from '#machines/kubernetes/json.ts';
import { checkLabel, checkSubdomain } from '#machines/kubernetes/names.ts';
import { validateLabels } from '#machines/kubernetes/object-meta.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '../contract.ts';
import { takeField, withStatus } from './base.ts';
import { isPort, validateOneOf } from './pods/validate-containers.ts';

const serviceTypes = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];

const isHeadless = (spec: JsonObject): boolean => textAt(spec, 'clusterIP') === 'None';
const isExternal = (spec: JsonObject): boolean => textAt(spec, 'type') === 'ExternalName';

function defaultService(service: Stored): void {
  const spec = ensureObject(service, 'spec');
  setDefault(spec, 'sessionAffinity', 'None');
  setDefault(spec, 'type', 'ClusterIP');
  if (spec['sessionAffinity'] === 'ClientIP') {
    const config = ensureObject(ensureObject(spec, 'sessionAffinityConfig'), 'clientIP');
    setDefault(config, 'timeoutSeconds', 10_800);
  }
  for (const port of objectsAt(spec, 'ports')) {
    setDefault(port, 'protocol', 'TCP');
    const number = port['port'];
    const target = port['targetPort'];
    if (number !== undefined && (target === undefined || target === 0 || target === '')) {
      port['targetPort'] = number;
    }
  }
  if (!isExternal(spec)) setDefault(spec, 'internalTrafficPolicy', 'Cluster');
  if (['NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'))) {
    setDefault(spec, 'externalTrafficPolicy', 'Cluster');
  }
  if (textAt(spec, 'type') === 'LoadBalancer') {
    setDefault(spec, 'allocateLoadBalancerNodePorts', true);
  }
}

/** A random free-for-all address: with a million of them a repeat is not worth a lookup. */
function allocateAddress(random: Random): string {
  const host = 10 + Math.floor(random.next() * ((1 << 20) - 20));
  return `10.${96 + (host >> 16)}.${(host >> 8) & 255}.${host & 255}`;
}

function allocate(spec: JsonObject, random: Random): void {
  if (isExternal(spec)) return;
  const first = listAt(spec, 'clusterIPs')[0];
  const asked = textAt(spec, 'clusterIP') || (typeof first === 'string' ? first : '');
  const address = asked === '' ? allocateAddress(random) : asked;
  spec['clusterIP'] = address;
  setDefault(spec, 'clusterIPs', [address]);
  const anywhere = address === 'None' && objectAt(spec, 'selector') === undefined;
  setDefault(spec, 'ipFamilyPolicy', anywhere ? 'RequireDualStack' : 'SingleStack');
  const dual = anywhere && spec['ipFamilyPolicy'] === 'RequireDualStack';
  setDefault(spec, 'ipFamilies', dual ? ['IPv4', 'IPv6'] : ['IPv4']);
  if (!['NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'))) return;
  for (const port of objectsAt(spec, 'ports')) {
    setDefault(port, 'nodePort', 30_000 + Math.floor(random.next() * 2768));
  }
}

/** A client that leaves out what the server allocated means to keep it. */
function keepAllocated(service: Stored, old: Stored): void {
  const spec = ensureObject(service, 'spec');
  const before = objectAt(old, 'spec') ?? {};
  if (isExternal(spec) || isExternal(before)) return;
  for (const key of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy']) {
    if (spec[key] === undefined) takeField(spec, before, key);
  }
}

function validateService(service: Stored): FieldError[] {
  const spec = objectAt(service, 'spec') ?? {};
  const ports = objectsAt(spec, 'ports');
  const errors: FieldError[] = [];
  if (ports.length === 0 && !isHeadless(spec) && !isExternal(spec)) {
    errors.push(required('spec.ports'));
  }
  if (!serviceTypes.includes(textAt(spec, 'type'))) {
    errors.push(notSupported('spec.type', spec['type'], serviceTypes));
  }
  if (isHeadless(spec) && !['ClusterIP', ''].includes(textAt(spec, 'type'))) {
    const detail = `may not be set to 'None' for ${textAt(spec, 'type')} services`;
    errors.push(invalid('spec.clusterIPs[0]', 'None', detail));
  }
  if (isExternal(spec)) errors.push(...validateExternalName(spec));
  return [
    ...errors,
    ...validateOneOf(spec, 'sessionAffinity', 'spec', ['ClientIP', 'None']),
    ...validateOneOf(spec, 'internalTrafficPolicy', 'spec', ['Cluster', 'Local']),
    ...validateOneOf(spec, 'externalTrafficPolicy', 'spec', ['Cluster', 'Local']),
    ...validateOneOf(spec, 'ipFamilyPolicy', 'spec', [
      'PreferDualStack',
      'RequireDualStack',
      'SingleStack',
    ]),
    ...validateLabels(spec['selector'], 'spec.selector'),
    ...validateAddress(spec),
    ...validatePorts(ports),
  ];
}

function validateExternalName(spec: JsonObject): FieldError[] {
  const name = textAt(spec, 'externalName').replace(/\.$/, '');
  if (name === '') return [required('spec.externalName')];
  return invalidEach('spec.externalName', name, checkSubdomain(name));
}

const address = /^(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}$/;

function validateAddress(spec: JsonObject): FieldError[] {
  const given = textAt(spec, 'clusterIP');
  if (given === '' || given === 'None' || address.test(given) || given.includes(':')) return [];
  const detail = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
  return [invalid('spec.clusterIPs[0]', given, detail)];
}

function validatePorts(ports: readonly JsonObject[]): FieldError[] {
  const names = new Set<string>();
  const numbers = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const name = textAt(port, 'name');
    const number = numberAt(port, 'port');
    const errors: FieldError[] = [];
    if (name === '' && ports.length > 1) errors.push(required(`${at}.name`));
    if (name !== '') errors.push(...invalidEach(`${at}.name`, name, checkLabel(name)));
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    if (!isPort(number)) {
      errors.push(invalid(`${at}.port`, number ?? 0, 'must be between 1 and 65535, inclusive'));
    }
    errors.push(...validateOneOf(port, 'protocol', at, ['SCTP', 'TCP', 'UDP']));
    const target = port['targetPort'];
    if (typeof target === 'number' && !isPort(target)) {
      errors.push(invalid(`${at}.targetPort`, target, 'must be between 1 and 65535, inclusive'));
    }
    const key = `${textAt(port, 'protocol')}/${number}`;
    if (numbers.has(key)) {
      errors.push(duplicate(at, { protocol: port['protocol'], port: port['port'] }));
    }
    numbers.add(key);
    return errors;
  });
}

function validateServiceUpdate(service: Stored, old: Stored): FieldError[] {
  const spec = objectAt(service, 'spec') ?? {};
  const before = objectAt(old, 'spec') ?? {};
  const errors = validateService(service);
  if (isExternal(spec) || isExternal(before) || textAt(before, 'clusterIP') === '') return errors;
  const changed =
    textAt(spec, 'clusterIP') !== textAt(before, 'clusterIP') ||
    !isEqual(spec['clusterIPs'], before['clusterIPs']);
  if (changed) {
    const value = isEqual(spec['clusterIPs'], before['clusterIPs'])
      ? [spec['clusterIP']]
      : spec['clusterIPs'];
    errors.push(invalid('spec.clusterIPs[0]', value, 'may not change once set'));
  }
  return errors;
}

export const serviceStrategy: Strategy = withStatus({
  countsGeneration: false,
  defaults: defaultService,
  prepareCreate: (service, environment) => {
    allocate(ensureObject(service, 'spec'), environment.random);
    service['status'] = { loadBalancer: {} };
  },
  prepareUpdate: (service, old, subresource) => {
    if (subresource === '') keepAllocated(service, old);
  },
  validate: (service, subresource) => (subresource === '' ? validateService(service) : []),
  validateUpdate: (service, old, subresource) =>
    subresource === '' ? validateServiceUpdate(service, old) : [],
  selectableFields: (service) => {
    const spec = objectAt(service, 'spec');
    return { 'spec.clusterIP': textAt(spec, 'clusterIP'), 'spec.type': textAt(spec, 'type') };
  },
});
