// The EndpointSlices of Services with a selector: the pods that they select, with the port that
// each listens on. One slice for each way in which the ports of a Service resolve, as named ports
// may differ from pod to pod. One of the agents of index.ts.
import { objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import { isEqual } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '../contract.ts';
import {
  isTerminating,
  keyOf,
  nameOf,
  namespaceOf,
  nodeOf,
  orRetryLater,
  uidOf,
} from '../controllers/client.ts';
import type { Controller, ControllerContext } from '../controllers/options.ts';
import { WorkQueue } from '../controllers/work-queue.ts';
import { portOf } from './readiness.ts';

const services = '/api/v1/services';
const pods = '/api/v1/pods';
const slices = '/apis/discovery.k8s.io/v1/endpointslices';
const pathIn = (namespace: string): string =>
  `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices`;
const serviceLabel = 'kubernetes.io/service-name';
const managerLabel = 'endpointslice.kubernetes.io/managed-by';
const manager = 'endpointslice-controller.k8s.io';

export class EndpointSlices implements Controller {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #stops: (() => void)[];

  constructor(context: ControllerContext) {
    this.#context = context;
    const { informers, clock } = context;
    this.#queue = new WorkQueue({
      clock,
      parallel: 8,
      work: (key) => this.#work(key),
      failed: (key, error) =>
        context.log('warn', 'endpoint slices failed', { service: key, error: String(error) }),
    });
    this.#stops = [
      informers.at(services).listen({ seen: (service) => this.#queue.add(keyOf(service)) }),
      informers.at(pods).listen({
        seen: (pod, old) => {
          this.#addServicesOf(pod);
          if (old !== undefined) this.#addServicesOf(old);
        },
        gone: (pod) => this.#addServicesOf(pod),
      }),
      informers.at(slices).listen({
        seen: (slice) => this.#addServiceOf(slice),
        gone: (slice) => this.#addServiceOf(slice),
      }),
    ];
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  stop(): void {
    this.#queue.stop();
    for (const stop of this.#stops) stop();
  }

  #addServicesOf(pod: Stored): void {
    for (const service of this.#context.informers.at(services).values()) {
      if (isSelected(service, pod)) this.#queue.add(keyOf(service));
    }
  }

  #addServiceOf(slice: Stored): void {
    const service = textsAt(slice.metadata, 'labels')[serviceLabel];
    if (service !== undefined) this.#queue.add(`${namespaceOf(slice)}/${service}`);
  }

  async #work(key: string): Promise<void> {
    const { informers } = this.#context;
    const service = informers.at(services).get(key);
    // The garbage collector removes the slices of one that is gone.
    if (service === undefined || isTerminating(service) || !hasSelector(service)) return;
    const all = [services, pods, slices].every((path) => informers.at(path).synced);
    if (!all) return this.#queue.addAfter(key, lookAgainMs);
    const chosen = [...informers.at(pods).values()].filter((pod) => isSelected(service, pod));
    const wanted = new Map(slicesOf(service, chosen).map((slice) => [nameOf(slice), slice]));
    for (const slice of informers.at(slices).values()) {
      if (!isOf(slice, service)) continue;
      const next = wanted.get(nameOf(slice));
      wanted.delete(nameOf(slice));
      await this.#change(slice, next);
    }
    const path = pathIn(namespaceOf(service));
    for (const slice of wanted.values()) {
      orRetryLater('slice', await this.#context.client.create(path, slice));
    }
  }

  async #change(slice: Stored, next: JsonObject | undefined): Promise<void> {
    const { client } = this.#context;
    const path = `${pathIn(namespaceOf(slice))}/${nameOf(slice)}`;
    if (next === undefined) {
      orRetryLater('slice', await client.remove(path, uidOf(slice)));
    } else if (!['ports', 'endpoints'].every((field) => isEqual(slice[field], next[field]))) {
      const { ports = [], endpoints = [] } = next;
      orRetryLater('slice', await client.replace(path, { ...slice, ports, endpoints }));
    }
  }
}

/** Until the caches are filled. */
const lookAgainMs = 100;

const selectorOf = (service: Stored): Readonly<Record<string, string>> =>
  textsAt(objectAt(service, 'spec'), 'selector');

const hasSelector = (service: Stored): boolean => Object.keys(selectorOf(service)).length > 0;

function isSelected(service: Stored, pod: Stored): boolean {
  const labels = textsAt(pod.metadata, 'labels');
  const selector = Object.entries(selectorOf(service));
  if (selector.length === 0 || namespaceOf(service) !== namespaceOf(pod)) return false;
  return selector.every(([name, value]) => labels[name] === value);
}

const isOf = (slice: Stored, service: Stored): boolean => {
  const labels = textsAt(slice.metadata, 'labels');
  const isOurs = labels[managerLabel] === manager && labels[serviceLabel] === nameOf(service);
  return isOurs && namespaceOf(slice) === namespaceOf(service);
};

function slicesOf(service: Stored, chosen: readonly Stored[]): readonly Stored[] {
  const groups = new Map<string, { ports: JsonObject[]; endpoints: JsonObject[] }>();
  for (const pod of chosen.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))) {
    const endpoint = endpointOf(service, pod);
    if (endpoint === undefined) continue;
    const ports = portsOf(service, pod);
    const group = groups.get(JSON.stringify(ports)) ?? { ports, endpoints: [] };
    group.endpoints.push(endpoint);
    groups.set(JSON.stringify(ports), group);
  }
  // A Service without pods has an empty slice, so that a reader sees that it is known.
  const listed = groups.size === 0 ? [{ ports: [], endpoints: [] }] : [...groups.values()];
  return listed.map(({ ports, endpoints }, index) => ({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: `${nameOf(service)}-${index}`,
      namespace: namespaceOf(service),
      labels: { [serviceLabel]: nameOf(service), [managerLabel]: manager },
      ownerReferences: [ownerOf(service)],
    },
    addressType: 'IPv4',
    ports,
    endpoints,
  }));
}

const ownerOf = (service: Stored): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  name: nameOf(service),
  uid: uidOf(service),
  controller: true,
  blockOwnerDeletion: true,
});

/** None for a pod without an address, or whose containers have all ended. */
function endpointOf(service: Stored, pod: Stored): JsonObject | undefined {
  const status = objectAt(pod, 'status');
  const ip = textAt(status, 'podIP');
  const phase = textAt(status, 'phase');
  if (ip === '' || phase === 'Succeeded' || phase === 'Failed') return undefined;
  const serving = objectsAt(status, 'conditions').some(
    (each) => each['type'] === 'Ready' && each['status'] === 'True',
  );
  const terminating = isTerminating(pod);
  const isAlways = objectAt(service, 'spec')?.['publishNotReadyAddresses'] === true;
  return {
    addresses: [ip],
    conditions: { ready: isAlways || (serving && !terminating), serving, terminating },
    nodeName: nodeOf(pod),
    targetRef: {
      kind: 'Pod',
      name: nameOf(pod),
      namespace: namespaceOf(pod),
      uid: uidOf(pod),
    },
  };
}

/** Those that the pod has. */
function portsOf(service: Stored, pod: Stored): JsonObject[] {
  const containers = objectsAt(objectAt(pod, 'spec'), 'containers');
  return objectsAt(objectAt(service, 'spec'), 'ports').flatMap((port) => {
    const target = port['targetPort'] ?? port['port'];
    const numbers = containers.flatMap((container) => portOf(container, target) ?? []);
    const [number] = numbers;
    if (number === undefined) return [];
    return [
      { name: textAt(port, 'name'), port: number, protocol: textAt(port, 'protocol') || 'TCP' },
    ];
  });
}
