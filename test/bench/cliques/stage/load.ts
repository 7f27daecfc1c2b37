// What is there before the daemons of one measurement join, in a namespace of its own and alike for
// all strategies: the domains, and a daemon pod on each node with its address, as DaemonSet,
// scheduler and kubelet leave it.
import { object } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { must } from '#test/support/workload.ts';
import { Window } from '../../window.ts';
import {
  apiVersion,
  type CliqueKey,
  cliquesIn,
  domainLabel,
  domainsIn,
  podsIn,
  uidOf,
} from '../clique.ts';
import type { DaemonSpec } from '../daemons/daemon.ts';
import { nodeName, preparing, type Stage } from './stage.ts';

export interface LoadOptions {
  readonly namespace: string;
  /** Its domains are called after it. */
  readonly name: string;
  /** Daemons of a clique, and cliques. */
  readonly size: number;
  readonly cliques: number;
  /** One domain for all cliques, or one for each. */
  readonly domains: 'one' | 'each';
  /** Over which the daemons join. */
  readonly spreadSeconds: number;
  /** Whether the kubelets probe at the same moments. */
  readonly probes: 'spread' | 'aligned';
  readonly seed: number;
}

export interface Load {
  readonly namespace: string;
  readonly domains: readonly string[];
  readonly keys: readonly CliqueKey[];
  readonly daemons: readonly DaemonSpec[];
}

const clusterUuid = '6b7c0d6e-5f8a-4a55-9d0c-3f7f5b0c9a11';

export async function prepare(stage: Stage, options: LoadOptions): Promise<Load> {
  const { namespace, size, cliques } = options;
  const count = options.domains === 'one' ? 1 : cliques;
  const domains: { name: string; uid: string }[] = [];
  for (let index = 0; index < count; index++) {
    const name = `${options.name}-${index}`;
    domains.push({ name, uid: await addDomain(stage, namespace, name, (size * cliques) / count) });
  }
  const keys = Array.from({ length: cliques }, (_, index) => ({
    namespace,
    domainUid: domains[count === 1 ? 0 : index]?.uid ?? '',
    cliqueId: `${clusterUuid}.${index}`,
    size,
  }));
  const window = new Window(preparing);
  const chance = seeded(options.seed);
  const drawn = keys.flatMap((key, clique) =>
    Array.from({ length: size }, (_, place) => ({
      key,
      domain: domains[count === 1 ? 0 : clique]?.name ?? '',
      index: clique * size + place,
      joinMs: chance.next() * options.spreadSeconds * 1000,
      probeAt: options.probes === 'spread' ? chance.next() : 1,
    })),
  );
  const daemons = await Promise.all(
    drawn.map((one) => window.run(one.index, () => addPod(stage, one, options.name))),
  );
  return { namespace, domains: domains.map(({ name }) => name), keys, daemons };
}

async function addDomain({ client }: Stage, namespace: string, name: string, numNodes: number) {
  const channel = { resourceClaimTemplate: { name }, allocationMode: 'Single' };
  const body = {
    apiVersion,
    kind: 'ComputeDomain',
    metadata: { name },
    spec: { numNodes, channel },
  };
  return uidOf(await must(client, { method: 'POST', path: domainsIn(namespace), body }));
}

type Drawn = Pick<DaemonSpec, 'key' | 'joinMs' | 'probeAt'> & {
  readonly index: number;
  readonly domain: string;
};

async function addPod(
  { client }: Stage,
  { key, index, domain, ...times }: Drawn,
  name: string,
): Promise<DaemonSpec> {
  const node = nodeName(index);
  const pod = `${name}-daemon-${node}`;
  const address = `10.${100 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
  const path = podsIn(key.namespace);
  const body = podBody(pod, node, key, domain);
  const made = await must(client, { method: 'POST', path, body });
  const status = {
    phase: 'Running',
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: [{ type: 'Ready', status: 'False' }],
  };
  await must(client, {
    method: 'PUT',
    path: `${path}/${pod}/status`,
    body: { ...object(made), status },
  });
  return { key, node, pod, uid: uidOf(made), address, ...times };
}

/** Their owner keeps the domain's DaemonSet, whose pods they would be, from taking them for its
 *  own: it would delete them, as nodes have no label here. */
const podBody = (
  name: string,
  nodeName_: string,
  { domainUid }: CliqueKey,
  domain: string,
): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    labels: { [domainLabel]: domainUid },
    ownerReferences: [
      { apiVersion, kind: 'ComputeDomain', name: domain, uid: domainUid, controller: true },
    ],
  },
  spec: {
    nodeName: nodeName_,
    tolerations: [{ operator: 'Exists' }],
    containers: [{ name: 'compute-domain-daemon', image: 'registry.example/none:1' }],
  },
});

/** Nobody runs the pods, so they go at once. */
export async function clear({ client }: Stage, { namespace, domains }: Load): Promise<void> {
  const body = { gracePeriodSeconds: 0 };
  await must(client, { method: 'DELETE', path: podsIn(namespace), body });
  for (const name of domains) {
    await must(client, { method: 'DELETE', path: `${domainsIn(namespace)}/${name}` });
  }
  await must(client, { method: 'DELETE', path: cliquesIn(namespace) });
}
