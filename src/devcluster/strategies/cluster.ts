// The strategies of Namespaces, Nodes, PriorityClasses, Leases and Events.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import {
  duplicate,
  forbidden,
  invalid,
  invalidEach,
  required,
} from '#machines/kubernetes/field-errors.ts';
import {
  ensureObject,
  isTrue,
  numberAt,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '#machines/kubernetes/fields.ts';
import { checkLabelValue, checkQualifiedName } from '#machines/kubernetes/names.ts';
import type { Stored, Strategy } from '../contract.ts';
import { immutable, takeField, withStatus } from './base.ts';
import { validateOneOf } from './pods/validate-containers.ts';
import { canonicaliseQuantities } from './quantity.ts';

/** `spec.finalizers` holds the object until the namespace is empty; /finalize alone changes it. */
export const namespaceStrategy: Strategy = withStatus({
  countsGeneration: false,
  defaults: (namespace) => {
    const name = textAt(namespace.metadata, 'name');
    if (name === '') return;
    ensureObject(namespace.metadata, 'labels')['kubernetes.io/metadata.name'] = name;
  },
  prepareCreate: (namespace) => {
    namespace['spec'] = { finalizers: ['kubernetes'] };
    namespace['status'] = { phase: 'Active' };
  },
  prepareUpdate: (namespace, old, subresource) => {
    if (subresource === 'finalize') return;
    takeField(ensureObject(namespace, 'spec'), objectAt(old, 'spec') ?? {}, 'finalizers');
  },
  selectableFields: (namespace) => ({
    'status.phase': textAt(objectAt(namespace, 'status'), 'phase'),
  }),
});

function validateNode(node: Stored): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(objectAt(node, 'spec'), 'taints').flatMap((taint, index) => {
    // The path is what a real server says, though the field is in the spec.
    const at = `metadata.taints[${index}]`;
    const key = textAt(taint, 'key');
    const effect = textAt(taint, 'effect');
    const value = textAt(taint, 'value');
    const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
    const errors = [
      ...invalidEach(`${at}.key`, key, checkQualifiedName(key)),
      ...invalidEach(`${at}.value`, value, checkLabelValue(value)),
      ...(effect === '' ? [required(`${at}.effect`)] : validateOneOf(taint, 'effect', at, effects)),
    ];
    if (seen.has(`${key}:${effect}`)) errors.push(duplicate(at, taint));
    seen.add(`${key}:${effect}`);
    return errors;
  });
}

const nodeRules: Strategy = withStatus({
  countsGeneration: false,
  validate: validateNode,
  validateUpdate: validateNode,
  selectableFields: (node) => ({
    'spec.unschedulable': String(isTrue(objectAt(node, 'spec'), 'unschedulable')),
  }),
});

const nodeInfoFields = [
  'architecture',
  'bootID',
  'containerRuntimeVersion',
  'kernelVersion',
  'kubeProxyVersion',
  'kubeletVersion',
  'machineID',
  'operatingSystem',
  'osImage',
  'systemUUID',
];

/** Kubelets register with their capacity, so a new Node keeps the status that it came with. */
export const nodeStrategy: Strategy = {
  ...nodeRules,
  defaults: (node) => {
    const status = ensureObject(node, 'status');
    setDefault(status, 'daemonEndpoints', { kubeletEndpoint: { Port: 0 } });
    const info = ensureObject(status, 'nodeInfo');
    for (const field of nodeInfoFields) setDefault(info, field, '');
    canonicaliseQuantities(status, 'capacity');
    canonicaliseQuantities(status, 'allocatable');
    if (status['capacity'] === undefined) return;
    setDefault(status, 'allocatable', structuredClone(status['capacity']));
  },
  prepareCreate: (node) => void ensureObject(node, 'spec'),
};

const userPriorityLimit = 1_000_000_000;

export const priorityClassStrategy: Strategy = {
  hasStatus: false,
  countsGeneration: true,
  defaults: (priorityClass) => {
    setDefault(priorityClass, 'preemptionPolicy', 'PreemptLowerPriority');
    setDefault(priorityClass, 'value', 0);
  },
  validate: (priorityClass) => {
    const name = textAt(priorityClass.metadata, 'name');
    const value = numberAt(priorityClass, 'value') ?? 0;
    if (['system-cluster-critical', 'system-node-critical'].includes(name)) return [];
    if (name.startsWith('system-')) {
      const reserved =
        "priority class names with 'system-' prefix are reserved for system use only";
      const detail = `${reserved}. error: ${name} is not a known system priority class`;
      return [forbidden('metadata.name', detail)];
    }
    if (value <= userPriorityLimit) return [];
    const detail = `maximum allowed value of a user defined priority is ${userPriorityLimit}`;
    return [forbidden('value', detail)];
  },
  validateUpdate: (priorityClass, old) => [
    ...(priorityClass['value'] === old['value']
      ? []
      : [forbidden('value', 'may not be changed in an update.')]),
    ...immutable(priorityClass, old, 'preemptionPolicy'),
  ],
};

function validateLease(lease: Stored): FieldError[] {
  const spec = objectAt(lease, 'spec') ?? {};
  const errors: FieldError[] = [];
  const duration = numberAt(spec, 'leaseDurationSeconds');
  const transitions = numberAt(spec, 'leaseTransitions');
  if (duration !== undefined && duration <= 0) {
    errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  }
  if (transitions !== undefined && transitions < 0) {
    const detail = 'must be greater than or equal to 0';
    errors.push(invalid('spec.leaseTransitions', transitions, detail));
  }
  return errors;
}

export const leaseStrategy: Strategy = {
  hasStatus: false,
  defaults: (lease) => void ensureObject(lease, 'spec'),
  validate: validateLease,
  validateUpdate: validateLease,
};

/** The object that an event is about, under the name of either API group. */
const regarding = (event: Stored) =>
  objectAt(event, 'involvedObject') ?? objectAt(event, 'regarding');

function validateEvent(event: Stored): FieldError[] {
  const about = textAt(regarding(event), 'namespace');
  const own = textAt(event.metadata, 'namespace');
  const field = objectAt(event, 'involvedObject') ? 'involvedObject' : 'regarding';
  const errors = validateTimedEvent(event);
  if (about === own || (about === '' && own === 'default')) return errors;
  return [invalid(`${field}.namespace`, about, 'does not match event.namespace'), ...errors];
}

/** An event with `eventTime` is of the new kind and must say who reports what. */
function validateTimedEvent(event: Stored): FieldError[] {
  if (textAt(event, 'eventTime') === '') return [];
  const reporter = textAt(event, 'reportingComponent') || textAt(event, 'reportingController');
  const missing = ['reportingInstance', 'action', 'reason'].filter((key) => !textAt(event, key));
  if (reporter === '') missing.unshift('reportingController');
  return missing.map((key) => required(key));
}

/** Fields of the core form that are always told, empty or not. */
function defaultEvent(event: Stored): void {
  if (event['involvedObject'] === undefined) return;
  for (const key of ['eventTime', 'firstTimestamp', 'lastTimestamp']) event[key] ??= null;
  setDefault(event, 'reportingComponent', '');
  setDefault(event, 'reportingInstance', '');
  setDefault(event, 'source', {});
}

export const eventStrategy: Strategy = {
  hasStatus: false,
  defaults: defaultEvent,
  validate: validateEvent,
  validateUpdate: validateEvent,
  selectableFields: (event) => {
    const about = regarding(event);
    const source = textAt(objectAt(event, 'source'), 'component');
    const reporter = textAt(event, 'reportingComponent') || textAt(event, 'reportingController');
    const fields: Record<string, string> = {
      reason: textAt(event, 'reason'),
      type: textAt(event, 'type'),
      source: source || reporter,
      reportingComponent: reporter,
    };
    const parts = [
      'kind',
      'namespace',
      'name',
      'uid',
      'apiVersion',
      'resourceVersion',
      'fieldPath',
    ];
    for (const part of parts) fields[`involvedObject.${part}`] = textAt(about, part);
    return fields;
  },
};
