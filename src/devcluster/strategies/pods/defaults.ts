// What the API server fills into a pod, or into a pod template inside another object, when the
// author left it out. Called by the pod strategy and by kinds that embed a template.
import {
  ensureObject,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { canonicaliseQuantities } from '../quantity.ts';

/** Defaults of a PodSpec, in place. */
export function defaultPodSpec(spec: JsonObject): void {
  setDefault(spec, 'restartPolicy', 'Always');
  setDefault(spec, 'terminationGracePeriodSeconds', 30);
  const grace = spec['terminationGracePeriodSeconds'];
  if (typeof grace === 'number' && grace < 0) spec['terminationGracePeriodSeconds'] = 1;
  setDefault(spec, 'dnsPolicy', 'ClusterFirst');
  setDefault(spec, 'schedulerName', 'default-scheduler');
  setDefault(spec, 'securityContext', {});
  aliasServiceAccount(spec);
  for (const volume of objectsAt(spec, 'volumes')) defaultVolume(volume);
  for (const key of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of objectsAt(spec, key)) {
      defaultContainer(container, spec['hostNetwork'] === true);
    }
  }
}

/** `serviceAccount` is the old name of `serviceAccountName`; both are always told. */
function aliasServiceAccount(spec: JsonObject): void {
  const name = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount');
  if (name === '') return;
  spec['serviceAccountName'] = name;
  spec['serviceAccount'] = name;
}

function defaultContainer(container: JsonObject, hostNetwork: boolean): void {
  setDefault(container, 'imagePullPolicy', pullPolicy(textAt(container, 'image')));
  setDefault(container, 'terminationMessagePath', '/dev/termination-log');
  setDefault(container, 'terminationMessagePolicy', 'File');
  defaultResources(ensureObject(container, 'resources'));
  for (const port of objectsAt(container, 'ports')) {
    setDefault(port, 'protocol', 'TCP');
    const number = port['containerPort'];
    if (hostNetwork && number !== undefined) setDefault(port, 'hostPort', number);
  }
  for (const variable of objectsAt(container, 'env')) {
    const reference = objectAt(objectAt(variable, 'valueFrom'), 'fieldRef');
    if (reference !== undefined) setDefault(reference, 'apiVersion', 'v1');
  }
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const present = objectAt(container, probe);
    if (present !== undefined) defaultProbe(present);
  }
}

function pullPolicy(image: string): string {
  if (image.includes('@')) return 'IfNotPresent';
  const tag = image.slice(image.lastIndexOf('/') + 1).split(':')[1];
  return tag === undefined || tag === '' || tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** A limit without a request is a request too. */
function defaultResources(resources: JsonObject): void {
  canonicaliseQuantities(resources, 'limits');
  canonicaliseQuantities(resources, 'requests');
  const limits = objectAt(resources, 'limits');
  if (limits === undefined) return;
  for (const [name, limit] of Object.entries(limits)) {
    setDefault(ensureObject(resources, 'requests'), name, limit);
  }
}

function defaultProbe(probe: JsonObject): void {
  setDefault(probe, 'timeoutSeconds', 1);
  setDefault(probe, 'periodSeconds', 10);
  setDefault(probe, 'successThreshold', 1);
  setDefault(probe, 'failureThreshold', 3);
  const http = objectAt(probe, 'httpGet');
  if (http !== undefined) {
    setDefault(http, 'path', '/');
    setDefault(http, 'scheme', 'HTTP');
  }
  const grpc = objectAt(probe, 'grpc');
  if (grpc !== undefined) setDefault(grpc, 'service', '');
}

/** Permissions of files in volumes: octal 0644. */
const fileMode = 0o644;
const tokenSeconds = 3600;

function defaultVolume(volume: JsonObject): void {
  if (Object.keys(volume).every((key) => key === 'name')) volume['emptyDir'] = {};
  for (const source of ['secret', 'configMap', 'downwardAPI', 'projected']) {
    const present = objectAt(volume, source);
    if (present !== undefined) setDefault(present, 'defaultMode', fileMode);
  }
  const hostPath = objectAt(volume, 'hostPath');
  if (hostPath !== undefined) setDefault(hostPath, 'type', '');
  const projections = objectsAt(objectAt(volume, 'projected'), 'sources');
  for (const source of [volume, ...projections]) {
    for (const item of objectsAt(objectAt(source, 'downwardAPI'), 'items')) {
      const reference = objectAt(item, 'fieldRef');
      if (reference !== undefined) setDefault(reference, 'apiVersion', 'v1');
    }
    const token = objectAt(source, 'serviceAccountToken');
    if (token !== undefined) setDefault(token, 'expirationSeconds', tokenSeconds);
  }
}
