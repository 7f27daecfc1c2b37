// The simulated nodes themselves: their Node objects, and the leases by which they show that they
// are alive, renewed every ten seconds of the clock.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { rfc3339Micro, rfc3339 } from '#machines/kubernetes/time.ts';
import { isOk, orRetryLater } from '../client.ts';
import type { Controller, ControllerContext } from '../options.ts';
import { WorkQueue } from '../work-queue.ts';

const leaseSeconds = 40;
const renewEveryMs = 10_000;
const podsPerNode = 250;
/** With few nodes each takes more pods, so that the cluster holds at least this many. */
const podsPerCluster = 4_000;
const nodesPerRack = 8;
const racksPerBlock = 4;
const blocksPerZone = 4;

/** `node-0`, `node-1`, ... */
export const nodeName = (index: number): string => `node-${index}`;
export const hostIp = (index: number): string => `172.18.${index >> 8}.${(index & 255) + 2}`;

function labelsOf(index: number): JsonObject {
  const rack = Math.floor(index / nodesPerRack);
  const block = Math.floor(rack / racksPerBlock);
  const zone = Math.floor(block / blocksPerZone);
  return {
    'beta.kubernetes.io/arch': 'amd64',
    'beta.kubernetes.io/os': 'linux',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': nodeName(index),
    'kubernetes.io/os': 'linux',
    'topology.kubernetes.io/region': 'region-0',
    'topology.kubernetes.io/zone': `zone-${zone}`,
    'topology.kubernetes.io/block': `block-${block}`,
    'topology.kubernetes.io/rack': `rack-${rack}`,
  };
}

function healthConditions(now: number): JsonObject[] {
  const at = { lastHeartbeatTime: rfc3339(now), lastTransitionTime: rfc3339(now) };
  const pressures = ['Memory', 'Disk', 'PID'].map((kind) => ({
    type: `${kind}Pressure`,
    status: 'False',
    reason: `KubeletHasSufficient${kind}`,
    message: `kubelet has sufficient ${kind.toLowerCase()}`,
    ...at,
  }));
  const message = 'kubelet is posting ready status';
  return [...pressures, { type: 'Ready', status: 'True', reason: 'KubeletReady', message, ...at }];
}

function nodeObject(index: number, count: number, context: ControllerContext): JsonObject {
  const { settings, clock } = context;
  const extras = settings.nodeExtras(index);
  const pods = Math.max(podsPerNode, Math.ceil(podsPerCluster / count));
  const usual = { cpu: '64', memory: '512Gi', pods: String(pods), 'nvidia.com/gpu': '8' };
  const capacity = { ...usual, ...settings.nodeCapacity };
  const name = nodeName(index);
  const spec: JsonObject = { providerID: `sim://${name}` };
  if (extras.taints !== undefined) spec['taints'] = [...extras.taints];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { ...labelsOf(index), ...extras.labels } },
    spec,
    status: {
      capacity,
      allocatable: capacity,
      conditions: healthConditions(clock.now()),
      addresses: [
        { type: 'InternalIP', address: hostIp(index) },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: 10250 } },
      nodeInfo: {
        architecture: 'amd64',
        bootID: '',
        containerRuntimeVersion: 'sim://1',
        kernelVersion: '6.12',
        kubeProxyVersion: '',
        kubeletVersion: 'v1.35.0-sim',
        machineID: '',
        operatingSystem: 'linux',
        osImage: 'simulated',
        systemUUID: '',
      },
    },
  };
}

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

/** Registers the nodes and keeps their leases. A queue key is the index of a node. */
export class Nodes implements Controller {
  readonly #context: ControllerContext;
  readonly #count: number;
  readonly #queue: WorkQueue;
  readonly #registered = new Set<string>();
  readonly #renewals = new Set<() => void>();

  constructor(context: ControllerContext, count: number) {
    this.#context = context;
    this.#count = count;
    this.#queue = new WorkQueue({
      clock: context.clock,
      parallel: 16,
      work: (key) => this.#work(Number(key)),
      failed: (key, error) =>
        context.log('warn', 'node upkeep failed', { node: key, error: String(error) }),
    });
    for (let index = 0; index < count; index++) this.#queue.add(String(index));
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  stop(): void {
    this.#queue.stop();
    for (const cancel of this.#renewals) cancel();
  }

  async #work(index: number): Promise<void> {
    const { client } = this.#context;
    const name = nodeName(index);
    if (!this.#registered.has(name)) {
      const node = nodeObject(index, this.#count, this.#context);
      orRetryLater('node', await client.create('/api/v1/nodes', node));
      this.#registered.add(name);
    }
    await this.#renew(name);
    this.#renewLater(index);
  }

  async #renew(name: string): Promise<void> {
    const { client, clock } = this.#context;
    const renewTime = rfc3339Micro(clock.now());
    const renewed = await client.mergePatch(`${leases}/${name}`, { spec: { renewTime } });
    if (isOk(renewed)) return;
    if (renewed.status !== 404) orRetryLater('lease', renewed);
    const spec = { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime };
    const lease = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
      spec,
    };
    // 404 here: the namespace of the leases is still being made.
    const created = await client.create(leases, lease);
    if (created.status !== 409 && !isOk(created)) throw new Error(`lease: ${created.status}`);
  }

  /** Renewals of many nodes spread over the period. */
  #renewLater(index: number): void {
    const { clock } = this.#context;
    const offset = (index * renewEveryMs) / this.#count;
    const periods = Math.floor((clock.now() - offset) / renewEveryMs) + 1;
    const at = periods * renewEveryMs + offset;
    const cancel = clock.at(at, () => {
      this.#renewals.delete(cancel);
      this.#queue.add(String(index));
    });
    this.#renewals.add(cancel);
  }
}
