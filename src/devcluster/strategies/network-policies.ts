// The strategy of NetworkPolicies: their defaults, and what is wrong with one. Nothing enforces
// them: pods of the embedded cluster send no packets.
import { BlockList } from 'node:net';
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { forbidden, invalid, invalidEach, required } from '#machines/kubernetes/field-errors.ts';
import { notSupported } from '#machines/kubernetes/field-errors.ts';
import {
  ensureObject,
  listAt,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '#machines/kubernetes/fields.ts';
import { validateLabels } from '#machines/kubernetes/object-meta.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored, Strategy } from '../contract.ts';
import { checkPortName, isPort, validateOneOf } from './pods/validate-containers.ts';

/** The directions: name of the rules, of their peers and of the type. */
const directions = [
  ['ingress', 'from', 'Ingress'],
  ['egress', 'to', 'Egress'],
] as const;

function defaultPolicy(policy: Stored): void {
  const spec = ensureObject(policy, 'spec');
  ensureObject(spec, 'podSelector');
  for (const [rules] of directions) {
    for (const rule of objectsAt(spec, rules)) {
      for (const port of objectsAt(rule, 'ports')) setDefault(port, 'protocol', 'TCP');
    }
  }
  if (listAt(spec, 'policyTypes').length > 0) return;
  const isOutgoing = listAt(spec, 'egress').length > 0;
  spec['policyTypes'] = isOutgoing ? ['Ingress', 'Egress'] : ['Ingress'];
}

const portRange = 'must be between 1 and 65535, inclusive';

function validatePort(port: JsonObject, at: string): FieldError[] {
  const { port: first, endPort: last } = port;
  const errors = validateOneOf(port, 'protocol', at, ['TCP', 'UDP', 'SCTP']);
  if (typeof first === 'string') {
    if (last !== undefined) {
      errors.push(
        invalid(`${at}.endPort`, last, 'may not be specified when `port` is non-numeric'),
      );
    }
    return [...errors, ...invalidEach(`${at}.port`, first, checkPortName(first))];
  }
  if (typeof first === 'number' && !isPort(first)) {
    errors.push(invalid(`${at}.port`, first, portRange));
  }
  if (typeof last !== 'number') return errors;
  if (typeof first !== 'number') {
    const detail = 'may not be specified when `port` is not specified';
    return [...errors, invalid(`${at}.endPort`, last, detail)];
  }
  if (last < first) {
    errors.push(invalid(`${at}.endPort`, first, 'must be greater than or equal to `port`'));
  }
  if (!isPort(last)) errors.push(invalid(`${at}.endPort`, last, portRange));
  return errors;
}

interface Range {
  readonly address: string;
  readonly family: 'ipv4' | 'ipv6';
  readonly bits: number;
}

/** Undefined for what is no CIDR. */
function rangeOf(text: string): Range | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  const range = {
    address,
    bits: Number(bits),
    family: address.includes(':') ? 'ipv6' : 'ipv4',
  } as const;
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return undefined;
  try {
    new BlockList().addSubnet(range.address, range.bits, range.family);
    return range;
  } catch {
    return undefined;
  }
}

function isWithin(inner: Range, outer: Range): boolean {
  const block = new BlockList();
  block.addSubnet(outer.address, outer.bits, outer.family);
  return inner.bits > outer.bits && block.check(inner.address, inner.family);
}

const noRange = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

function validateBlock(block: JsonObject, at: string): FieldError[] {
  const cidr = textAt(block, 'cidr');
  if (cidr === '') return [required(`${at}.cidr`)];
  const outer = rangeOf(cidr);
  if (outer === undefined) return [invalid(`${at}.cidr`, cidr, noRange)];
  return listAt(block, 'except').flatMap((value, index) => {
    const inner = rangeOf(String(value));
    const field = `${at}.except[${index}]`;
    if (inner === undefined) return [invalid(field, value, noRange)];
    return isWithin(inner, outer)
      ? []
      : [invalid(field, value, 'must be a strict subset of `cidr`')];
  });
}

const validateSelector = (selector: JsonObject | undefined, at: string): FieldError[] =>
  validateLabels(objectAt(selector, 'matchLabels'), `${at}.matchLabels`);

function validatePeer(peer: JsonObject, at: string): FieldError[] {
  const block = objectAt(peer, 'ipBlock');
  const selectors = (['podSelector', 'namespaceSelector'] as const).filter(
    (name) => objectAt(peer, name) !== undefined,
  );
  const errors = selectors.flatMap((name) =>
    validateSelector(objectAt(peer, name), `${at}.${name}`),
  );
  if (block === undefined) {
    return selectors.length > 0 ? errors : [required(at, 'must specify a peer')];
  }
  errors.push(...validateBlock(block, `${at}.ipBlock`));
  if (selectors.length === 0) return errors;
  return [...errors, forbidden(at, 'may not specify both ipBlock and another peer')];
}

function validatePolicy(policy: Stored): FieldError[] {
  const spec = objectAt(policy, 'spec') ?? {};
  const errors = validateSelector(objectAt(spec, 'podSelector'), 'spec.podSelector');
  for (const [rules, peers] of directions) {
    for (const [index, rule] of objectsAt(spec, rules).entries()) {
      const at = `spec.${rules}[${index}]`;
      errors.push(
        ...objectsAt(rule, 'ports').flatMap((port, n) => validatePort(port, `${at}.ports[${n}]`)),
        ...objectsAt(rule, peers).flatMap((peer, n) => validatePeer(peer, `${at}.${peers}[${n}]`)),
      );
    }
  }
  const types: string[] = directions.map(([, , type]) => type);
  const named = listAt(spec, 'policyTypes');
  if (named.length > types.length) {
    errors.push(invalid('spec.policyTypes', named, 'may not specify more than two policyTypes'));
    return errors;
  }
  for (const [index, type] of named.entries()) {
    if (types.includes(String(type))) continue;
    errors.push(notSupported(`spec.policyTypes[${index}]`, type, types));
  }
  return errors;
}

export const networkPolicyStrategy: Strategy = {
  hasStatus: false,
  countsGeneration: true,
  defaults: defaultPolicy,
  validate: validatePolicy,
  validateUpdate: validatePolicy,
};
