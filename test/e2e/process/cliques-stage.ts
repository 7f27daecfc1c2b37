// What the tests of ComputeDomains on real processes share: a domain, pods with a claim to its
// channels on nodes of their choice, and what is read of both.
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject, KubeObject } from '#machines/kubernetes/objects.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { eventually } from '#test/support/eventually.ts';
import { conditionOf } from '#src/bench/onlooker.ts';
import type { Place } from '#test/support/place.ts';
import { createNamespace, get, must } from '#test/support/workload.ts';

export const driver = 'nvidia-dra-driver-gpu';
export const domainLabel = 'resource.nvidia.com/computeDomain';
/** In which NVLink clique the stand-in for the driver finds a node. */
export const fabricLabel = 'nvidia.com/gpu.clique';

const nvidia = '/apis/resource.nvidia.com/v1beta1/namespaces';
export const domainsIn = (namespace: string): string => `${nvidia}/${namespace}/computedomains`;
export const cliquesIn = (namespace: string): string =>
  `${nvidia}/${namespace}/computedomaincliques`;

export const settings = {
  modules: { nvidia: true },
  computeDomains: { image: 'driver:simulated', statusIntervalSeconds: 1 },
};

/** `[node, index, status]` */
export type Told = readonly [string, number, string];

export const nodesUpTo = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `node-${index}`);

export const zeroTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);

interface On extends Partial<Pick<Place, 'requests'>> {
  readonly client: KubeTransport;
}

export class CliqueStage {
  readonly #place: On;

  constructor(place: On) {
    this.#place = place;
  }

  async open(): Promise<void> {
    await createNamespace(this.#place.client, driver);
    const metadata = { name: 'compute-domain-daemon-service-account' };
    await this.post(`/api/v1/namespaces/${driver}/serviceaccounts`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata,
    });
  }

  post(path: string, body: JsonObject | KubeObject): Promise<unknown> {
    return must(this.#place.client, { method: 'POST', path, body });
  }

  patch(path: string, body: JsonObject): Promise<unknown> {
    const contentType = 'application/merge-patch+json';
    return must(this.#place.client, { method: 'PATCH', path, contentType, body });
  }

  delete(path: string): Promise<unknown> {
    return must(this.#place.client, { method: 'DELETE', path });
  }

  async items(path: string): Promise<readonly unknown[]> {
    return list(at(await get(this.#place.client, path), 'items'));
  }

  /** Resolves with the UID. Its claim template is called as it is. */
  async addDomain(name: string, numNodes = 0): Promise<string> {
    const made = await this.post(domainsIn('default'), {
      apiVersion: 'resource.nvidia.com/v1beta1',
      kind: 'ComputeDomain',
      metadata: { name },
      spec: { numNodes, channel: { resourceClaimTemplate: { name } } },
    });
    return text(at(made, 'metadata', 'uid'));
  }

  async addWorkload(domain: string, nodes: readonly string[]): Promise<void> {
    const path = '/api/v1/namespaces/default/pods';
    await Promise.all(nodes.map((node) => this.post(path, workload(domain, node))));
  }

  /** Ends at once, as nobody waits for it. */
  removeWorkload(domain: string, node: string): Promise<unknown> {
    const path = `/api/v1/namespaces/default/pods/${domain}-${node}?gracePeriodSeconds=0`;
    return this.delete(path);
  }

  status(domain: string): Promise<unknown> {
    return get(this.#place.client, `${domainsIn('default')}/${domain}`).then((one) =>
      at(one, 'status'),
    );
  }

  cliquesOf(uid: string): Promise<readonly unknown[]> {
    return this.items(`${cliquesIn(driver)}?labelSelector=${domainLabel}=${uid}`);
  }

  /** Of all cliques of the domain. */
  async rowsOf(uid: string): Promise<readonly Told[]> {
    const rows = (await this.cliquesOf(uid)).flatMap((one) => list(at(one, 'daemons')));
    return rows.map((row) => [
      text(at(row, 'nodeName')),
      Number(at(row, 'index')),
      text(at(row, 'status')),
    ]);
  }

  /** Resolves with the rows when all these nodes are Ready with an index of their own. */
  ready(uid: string, count: number): Promise<readonly Told[]> {
    return eventually(
      `${count} rows Ready`,
      () => this.rowsOf(uid),
      (rows) =>
        rows.length === count &&
        new Set(rows.map(([, index]) => index)).size === count &&
        rows.every(([, index, status]) => index < 18 && status === 'Ready'),
    );
  }

  async daemonsReady(uid: string, count: number): Promise<void> {
    await eventually(
      `${count} daemons that say their clique`,
      () => this.items(`/api/v1/namespaces/${driver}/pods?labelSelector=${domainLabel}=${uid}`),
      (pods) =>
        pods.filter(
          (pod) =>
            conditionOf(pod, 'Ready') === 'True' &&
            at(pod, 'metadata', 'labels', `${domainLabel}.cliqueID`) !== undefined,
        ).length === count,
    );
  }

  /** Requests of controllers about cliques: verb and code, and how many. */
  async requests(): Promise<ReadonlyMap<string, number>> {
    const all = Object.entries((await this.#place.requests?.()) ?? {});
    return new Map(
      all.flatMap(([line, count]): [string, number][] => {
        const [verb = '', resource = '', code = ''] = line.split(' ');
        return resource === 'computedomaincliques' ? [[`${verb} ${code}`, Number(count)]] : [];
      }),
    );
  }

  async eventsWith(reason: string): Promise<readonly { kind: string; note: string }[]> {
    return (await this.items('/api/v1/events'))
      .filter((one) => at(one, 'reason') === reason)
      .map((one) => ({
        kind: text(at(one, 'involvedObject', 'kind')),
        note: text(at(one, 'message')),
      }));
  }

  /** What is left of a domain: its children, cliques, daemons and labelled nodes. */
  async leftOf(uid: string): Promise<readonly string[]> {
    const paths = [
      `/apis/apps/v1/namespaces/${driver}/daemonsets`,
      '/apis/resource.k8s.io/v1/resourceclaimtemplates',
      cliquesIn(driver),
      `/api/v1/namespaces/${driver}/pods`,
      '/api/v1/nodes',
    ];
    const found = await Promise.all(
      paths.map(async (path) => ({
        path,
        count: (await this.items(`${path}?labelSelector=${domainLabel}=${uid}`)).length,
      })),
    );
    return found.flatMap(({ path, count }) => (count === 0 ? [] : [`${count} of ${path}`]));
  }

  async gone(domain: string, uid: string): Promise<void> {
    await eventually(
      'without the domain',
      () => this.items(domainsIn('default')),
      (domains) => domains.every((one) => at(one, 'metadata', 'name') !== domain),
    );
    await eventually(
      'without remains',
      () => this.leftOf(uid),
      ({ length }) => length === 0,
    );
  }
}

const workload = (domain: string, nodeName: string): JsonObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `${domain}-${nodeName}` },
  spec: {
    nodeName,
    containers: [
      { name: 'main', image: 'busybox:1', resources: { claims: [{ name: 'channel' }] } },
    ],
    resourceClaims: [{ name: 'channel', resourceClaimTemplateName: domain }],
  },
});
