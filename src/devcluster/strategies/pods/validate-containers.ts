// The rules for containers of a pod: names, images, ports, environment, resources and mounts.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import {
  duplicate,
  forbidden,
  invalid,
  invalidEach,
  notFound,
  notSupported,
  required,
} from '#machines/kubernetes/field-errors.ts';
import { numberAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import {
  checkConfigKey,
  checkEnvironmentName,
  checkLabel,
  checkQualifiedName,
} from '#machines/kubernetes/names.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { quantityOf } from '../quantity.ts';

/** All containers of a PodSpec; `field` is the path of the spec. */
export function validateContainers(
  spec: JsonObject,
  field: string,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const claims = objectsAt(spec, 'resourceClaims').map((claim) => textAt(claim, 'name'));
  if (objectsAt(spec, 'containers').length === 0) errors.push(required(`${field}.containers`));
  for (const key of ['containers', 'initContainers']) {
    objectsAt(spec, key).forEach((container, index) => {
      const at = `${field}.${key}[${index}]`;
      const name = textAt(container, 'name');
      if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
      errors.push(...validateContainer(container, at, volumes));
      errors.push(...validateRestart(container, at, key === 'initContainers'));
      errors.push(...validateClaimUse(container, `${at}.resources.claims`, claims));
    });
  }
  return errors;
}

function validateContainer(
  container: JsonObject,
  at: string,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const name = textAt(container, 'name');
  const image = textAt(container, 'image');
  return [
    ...(name === '' ? [required(`${at}.name`)] : invalidEach(`${at}.name`, name, checkLabel(name))),
    ...validateImage(image, `${at}.image`),
    ...validateOneOf(container, 'imagePullPolicy', at, ['Always', 'IfNotPresent', 'Never']),
    ...validateOneOf(container, 'terminationMessagePolicy', at, ['FallbackToLogsOnError', 'File']),
    ...validatePorts(container, `${at}.ports`),
    ...validateEnvironment(container, `${at}.env`),
    ...validateMounts(container, `${at}.volumeMounts`, volumes),
    ...validateResources(objectAt(container, 'resources'), `${at}.resources`),
  ];
}

function validateImage(image: string, field: string): FieldError[] {
  if (image === '') return [required(field)];
  const padded = image !== image.trim();
  return padded ? [invalid(field, image, 'must not have leading or trailing whitespace')] : [];
}

/** Only init containers have a restart policy of their own: `Always` makes a sidecar. */
function validateRestart(container: JsonObject, at: string, init: boolean): FieldError[] {
  const probes = ['livenessProbe', 'readinessProbe', 'startupProbe', 'lifecycle'];
  const sidecar = textAt(container, 'restartPolicy') === 'Always';
  const policies = validateOneOf(container, 'restartPolicy', at, ['Always', 'Never', 'OnFailure']);
  if (!init || sidecar) return [...policies, ...validateHandlers(container, at)];
  const misplaced = probes
    .filter((probe) => objectAt(container, probe) !== undefined)
    .map((probe) =>
      forbidden(
        `${at}.${probe}`,
        'may not be set for init containers without restartPolicy=Always',
      ),
    );
  return [...policies, ...misplaced];
}

function validateHandlers(container: JsonObject, at: string): FieldError[] {
  const handlers = ['exec', 'httpGet', 'tcpSocket', 'grpc'];
  return ['livenessProbe', 'readinessProbe', 'startupProbe'].flatMap((key) => {
    const probe = objectAt(container, key);
    if (probe === undefined || handlers.some((handler) => objectAt(probe, handler))) return [];
    return [required(`${at}.${key}`, 'must specify a handler type')];
  });
}

function validateClaimUse(
  container: JsonObject,
  field: string,
  claims: readonly string[],
): FieldError[] {
  return objectsAt(objectAt(container, 'resources'), 'claims').flatMap((use, index) => {
    const name = textAt(use, 'name');
    if (claims.includes(name)) return [];
    const known = claims.length === 0 ? 'which is empty' : `(${claims.join(', ')})`;
    const detail = `must be one of the names in pod.spec.resourceClaims ${known}`;
    return [{ ...notFound(`${field}[${index}]`, name), detail }];
  });
}

export function validateOneOf(
  object: JsonObject,
  key: string,
  at: string,
  supported: readonly string[],
): FieldError[] {
  const value = textAt(object, key);
  if (value === '' || supported.includes(value)) return [];
  return [notSupported(`${at}.${key}`, value, supported)];
}

const portRange = 'must be between 1 and 65535, inclusive';

export const isPort = (port: number | undefined): boolean =>
  port !== undefined && Number.isInteger(port) && port >= 1 && port <= 65535;

function validatePorts(container: JsonObject, field: string): FieldError[] {
  const names = new Set<string>();
  return objectsAt(container, 'ports').flatMap((port, index) => {
    const at = `${field}[${index}]`;
    const errors = validateOneOf(port, 'protocol', at, ['SCTP', 'TCP', 'UDP']);
    const name = textAt(port, 'name');
    if (name !== '') errors.push(...invalidEach(`${at}.name`, name, checkPortName(name)));
    if (name !== '' && names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    const number = numberAt(port, 'containerPort') ?? 0;
    if (number === 0) errors.push(required(`${at}.containerPort`));
    else if (!isPort(number)) errors.push(invalid(`${at}.containerPort`, number, portRange));
    const host = numberAt(port, 'hostPort') ?? 0;
    if (host !== 0 && !isPort(host)) errors.push(invalid(`${at}.hostPort`, host, portRange));
    return errors;
  });
}

/** IANA service names. */
export function checkPortName(name: string): string[] {
  const complaints = name.length > 15 ? ['must be no more than 15 characters'] : [];
  if (!/^[-a-z0-9]+$/.test(name)) {
    complaints.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(name)) complaints.push('must contain at least one letter (a-z)');
  if (name.includes('--')) complaints.push('must not contain consecutive hyphens');
  if (name.startsWith('-') || name.endsWith('-')) {
    complaints.push('must not begin or end with a hyphen');
  }
  return complaints;
}

function validateEnvironment(container: JsonObject, field: string): FieldError[] {
  return objectsAt(container, 'env').flatMap((variable, index) => {
    const at = `${field}[${index}]`;
    const name = textAt(variable, 'name');
    const errors =
      name === ''
        ? [required(`${at}.name`)]
        : invalidEach(`${at}.name`, name, checkEnvironmentName(name));
    const source = objectAt(variable, 'valueFrom');
    if (source === undefined) return errors;
    const from = `${at}.valueFrom`;
    if (textAt(variable, 'value') !== '') {
      errors.push(invalid(from, '', 'may not be specified when `value` is not empty'));
    }
    const kinds = Object.keys(source).length;
    if (kinds === 0)
      errors.push(
        invalid(
          from,
          '',
          'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
        ),
      );
    if (kinds > 1)
      errors.push(invalid(from, '', 'may not have more than one field specified at a time'));
    return [...errors, ...validateKeyReferences(source, from)];
  });
}

function validateKeyReferences(source: JsonObject, from: string): FieldError[] {
  return ['configMapKeyRef', 'secretKeyRef'].flatMap((kind) => {
    const reference = objectAt(source, kind);
    if (reference === undefined) return [];
    const key = textAt(reference, 'key');
    const errors = textAt(reference, 'name') === '' ? [required(`${from}.${kind}.name`)] : [];
    if (key === '') return [...errors, required(`${from}.${kind}.key`)];
    return [...errors, ...invalidEach(`${from}.${kind}.key`, key, checkConfigKey(key))];
  });
}

function validateMounts(
  container: JsonObject,
  field: string,
  volumes: ReadonlySet<string>,
): FieldError[] {
  const paths = new Set<string>();
  return objectsAt(container, 'volumeMounts').flatMap((mount, index) => {
    const at = `${field}[${index}]`;
    const errors: FieldError[] = [];
    const name = textAt(mount, 'name');
    const path = textAt(mount, 'mountPath');
    if (name === '') errors.push(required(`${at}.name`));
    else if (!volumes.has(name)) errors.push(notFound(`${at}.name`, name));
    if (path === '') errors.push(required(`${at}.mountPath`));
    else if (paths.has(path)) {
      errors.push(invalid(`${at}.mountPath`, path, 'must be unique'));
    }
    paths.add(path);
    return errors;
  });
}

const overcommittable = (name: string): boolean =>
  !name.includes('/') || name.startsWith('kubernetes.io/');

function validateResources(resources: JsonObject | undefined, field: string): FieldError[] {
  const limits = objectAt(resources, 'limits') ?? {};
  const requests = objectAt(resources, 'requests') ?? {};
  const errors = [
    ...validateQuantities(limits, `${field}.limits`),
    ...validateQuantities(requests, `${field}.requests`),
  ];
  for (const [name, request] of Object.entries(requests)) {
    const asked = quantityOf(request);
    const limit = quantityOf(limits[name]);
    if (asked === undefined) continue;
    if (!overcommittable(name) && limit === undefined) {
      errors.push(
        required(`${field}.limits`, 'Limit must be set for non overcommitable resources'),
      );
    } else if (limit === undefined) continue;
    else if (!overcommittable(name) && asked !== limit) {
      const detail = `must be equal to ${name} limit of ${String(limits[name])}`;
      errors.push(invalid(`${field}.requests`, request, detail));
    } else if (asked > limit) {
      const detail = `must be less than or equal to ${name} limit of ${String(limits[name])}`;
      errors.push(invalid(`${field}.requests`, request, detail));
    }
  }
  return errors;
}

const standardResources = ['cpu', 'memory', 'ephemeral-storage', 'storage'];

function validateQuantities(resources: JsonObject, field: string): FieldError[] {
  return Object.entries(resources).flatMap(([name, value]) => {
    const at = `${field}[${name}]`;
    const errors = invalidEach(at, name, checkQualifiedName(name));
    if (
      !name.includes('/') &&
      !standardResources.includes(name) &&
      !name.startsWith('hugepages-')
    ) {
      const detail = 'must be a standard resource type or fully qualified';
      errors.push(
        invalid(at, name, detail),
        invalid(at, name, 'must be a standard resource for containers'),
      );
    }
    const amount = quantityOf(value);
    if (amount === undefined)
      return [...errors, invalid(at, value, 'must be a quantity such as 500m, 2 or 16Gi')];
    if (amount < 0) errors.push(invalid(at, value, 'must be greater than or equal to 0'));
    else if (name.includes('/') && !Number.isInteger(amount)) {
      errors.push(invalid(at, value, 'must be an integer'));
    }
    return errors;
  });
}
