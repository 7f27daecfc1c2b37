// A day on which the controller does all that it can do: what rbac.test.ts holds its permissions
// to. Each step waits for its effect, so that it was asked for before the next begins.
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { release, releaseNamespace } from '#test/cluster/chart.ts';
import { askOver } from '#test/questions/served.ts';
import { eventually } from '#test/support/eventually.ts';
import { enrolled, onKai, plain, queued, sharing, wide } from './everything-sets.ts';
import { type Kube, type KubeObject, pathOf } from './kube.ts';
import type { Stage } from './stage.ts';

const { exemptServiceAccountUserNames } = defaultConfiguration.authorizer;
const limitMs = 60_000;
const mergePatch = 'application/merge-patch+json';
const component = 'app.kubernetes.io/component';

/** Everything that the chart has a switch for; the API server is on this host. */
export const settings: JsonObject = {
  leases: { enabled: true },
  questions: { enabled: true, bindAddress: '127.0.0.1', port: 0 },
  tokenSecrets: { readNamespaces: [releaseNamespace] },
  scheduler: { profiles: [{ name: 'kai-scheduler' }, { name: 'volcano' }] },
  network: { autoMNNVLEnabled: true },
  admission: { enabled: true, bindAddress: '127.0.0.1', port: 0, registration: 'url' },
  authorizer: {
    enabled: true,
    // Who plays the user here tampers with everything.
    exemptServiceAccountUserNames: ['admin', ...exemptServiceAccountUserNames],
  },
};

const secrets = `/api/v1/namespaces/${releaseNamespace}/secrets`;
export const certificate = `${secrets}/grove-webhook-server-cert`;
export const questionsCertificate = `${secrets}/coppice-questions-cert`;

const isGone = (object: unknown): boolean => object === undefined;
const bindings = '/apis/grove.io/v1alpha1/clustertopologybindings';
const topologies = '/apis/kai.scheduler/v1alpha1/topologies';
const queues = '/apis/scheduling.volcano.sh/v1beta1/queues';
const kaiGroups = (namespace: string): string =>
  `/apis/scheduling.run.ai/v2alpha2/namespaces/${namespace}/podgroups`;
const resourceClaims = (namespace: string): string =>
  `/apis/resource.k8s.io/v1/namespaces/${namespace}/resourceclaims`;
const computeDomains = (namespace: string): string =>
  `/apis/resource.nvidia.com/v1beta1/namespaces/${namespace}/computedomains`;
const volcanoGroups = (namespace: string): string =>
  `/apis/scheduling.volcano.sh/v1beta1/namespaces/${namespace}/podgroups`;

export class Everything {
  readonly #kube: Kube;
  readonly #stage: Stage;
  readonly #here: string;

  constructor(stage: Stage, namespace: string) {
    this.#stage = stage;
    this.#kube = stage.kube;
    this.#here = namespace;
  }

  /** Names that sets will want are taken by objects that nobody manages. */
  async takeNames(): Promise<void> {
    const taken: Readonly<Record<string, JsonObject>> = {
      services: { metadata: { name: 't-0' }, spec: { clusterIP: 'None' } },
      serviceaccounts: { metadata: { name: 't' } },
      secrets: { metadata: { name: 't-ic-sat' } },
      roles: { metadata: { name: 'grove.io:pcs:t' }, rules: [] },
      rolebindings: {
        metadata: { name: 'grove.io:pcs:t2' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'none' },
      },
      horizontalpodautoscalers: {
        metadata: { name: 'w-0-x' },
        spec: {
          maxReplicas: 2,
          scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'none' },
        },
      },
    };
    for (const [resource, body] of Object.entries(taken)) {
      const path = pathOf(this.#here, resource as 'services');
      await this.#kube.send({ method: 'POST', path, body });
    }
    const claims = resourceClaims(this.#here);
    const claim = { metadata: { name: 's-all-card' }, spec: {} };
    const device = { apiVersion: 'resource.k8s.io/v1', kind: 'ResourceClaim', ...claim };
    await this.#kube.send({ method: 'POST', path: claims, body: device });
    const group = { metadata: { name: 't3-0' } };
    const typed = { apiVersion: 'scheduling.run.ai/v2alpha2', kind: 'PodGroup', ...group };
    await this.#kube.send({ method: 'POST', path: kaiGroups(this.#here), body: typed });
    await this.#kube.create(this.#here, 'podcliquesets', plain('t'));
    await this.#kube.create(this.#here, 'podcliquesets', plain('t2'));
    await this.#kube.create(this.#here, 'podcliquesets', onKai('t3'));
  }

  /** Where Secrets may be read one that has the name already is looked at. */
  async readSecret(): Promise<void> {
    const body = { metadata: { name: 'k-ic-sat' } };
    const path = pathOf(releaseNamespace, 'secrets');
    await this.#kube.send({ method: 'POST', path, body });
    await this.#kube.create(releaseNamespace, 'podcliquesets', plain('k'));
    await eventually(
      'the taken Secret looked at',
      () => this.#stage.audit.requests(releaseNamespace),
      (all) =>
        all.some(({ name, verb, code }) => name === 'k-ic-sat' && verb === 'get' && code === 200),
    );
    await this.#kube.delete(releaseNamespace, 'podcliquesets', 'k');
    await this.#kube.delete(releaseNamespace, 'secrets', 'k-ic-sat');
    await this.#there(`${pathOf(releaseNamespace, 'podcliquesets')}/k`, isGone);
  }

  async deploy(): Promise<void> {
    await this.#kube.create(this.#here, 'podcliquesets', wide);
    await this.#pods('w-0-a', 2);
    await this.#pods('w-0-x-0-b', 1);
    await this.#pods('w-0-x-1-b', 1);
  }

  /** Of whoever may see the set, and of nobody else. */
  async ask([, port = '']: readonly string[]): Promise<void> {
    const read = await this.#kube.send({ method: 'GET', path: questionsCertificate });
    const ca = Buffer.from(text(at(read, 'data', 'ca.crt')), 'base64').toString('utf8');
    const path = `/why?kind=podcliqueset&namespace=${this.#here}&name=w`;
    const asked = { origin: `https://127.0.0.1:${port}`, ca, path };
    const tokens = [
      await this.#token(releaseNamespace, release),
      await this.#token(this.#here, 'w'),
    ];
    const answers = await Promise.all(tokens.map((token) => askOver({ ...asked, token })));
    const statuses = answers.map(({ status }) => status);
    if (statuses.join() !== '200,403') throw new Error(JSON.stringify(answers));
  }

  async #token(namespace: string, account: string): Promise<string> {
    const path = `${pathOf(namespace, 'serviceaccounts')}/${account}/token`;
    const kind = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest' };
    const made = await this.#kube.send({ method: 'POST', path, body: { ...kind, spec: {} } });
    return text(at(made, 'status', 'token'));
  }

  /** Takes a label of everything that has one, and waits until it is back. */
  async tamper(): Promise<void> {
    const names = {
      services: 'w-0',
      serviceaccounts: 'w',
      podcliques: 'w-0-a',
      podcliquescalinggroups: 'w-0-x',
      podgangs: 'w-0',
      horizontalpodautoscalers: 'w-0-a',
    } as const;
    const paths = Object.entries(names).map(
      ([resource, name]) => `${pathOf(this.#here, resource as keyof typeof names)}/${name}`,
    );
    for (const path of [...paths, `${kaiGroups(this.#here)}/w-0`]) await this.#strip(path);
  }

  async #strip(path: string): Promise<void> {
    const body = { metadata: { labels: { [component]: null } } };
    await this.#kube.send({ method: 'PATCH', path, contentType: mergePatch, body });
    await this.#there(path, (object) => at(object, 'metadata', 'labels', component) !== undefined);
  }

  /** The group twice, whose second Event raises the count of the first: that is waited for, as
   *  what repeats before it is written is created with its count. */
  async scale(): Promise<void> {
    await this.#scaleGroup();
    const path = pathOf(this.#here, 'events');
    await eventually(
      'an Event on the scale-in',
      async () => list(at(await this.#kube.send({ method: 'GET', path }), 'items')),
      (all) => all.some((event) => text(at(event, 'message')).startsWith('Scale-in of w-0-x ')),
    );
    await this.#scaleGroup();
    await this.#kube.scale(this.#here, 'podcliques', 'w-0-a', 1);
    await this.#pods('w-0-a', 1);
    await this.#kube.scale(this.#here, 'podcliquesets', 'w', 2);
    await this.#pods('w-1-a', 2);
    await this.#kube.scale(this.#here, 'podcliquesets', 'w', 1);
    await this.#pods('w-1-a', 0);
  }

  /** A binding gets its Topology, and another one for other levels. */
  async bind(): Promise<void> {
    const levels = (...keys: string[]): JsonObject[] =>
      keys.map((key, index) => ({ domain: ['zone', 'rack'][index] ?? '', key }));
    const kind = { apiVersion: 'grove.io/v1alpha1', kind: 'ClusterTopologyBinding' };
    const metadata = { name: 'rbac' };
    const body = { ...kind, metadata, spec: { levels: levels('z') } };
    await this.#kube.send({ method: 'POST', path: bindings, body });
    const path = `${topologies}/rbac`;
    const has = (count: number) => (object: unknown) =>
      list(at(object, 'spec', 'levels')).length === count;
    await this.#there(path, has(1));
    const patch = { spec: { levels: levels('z', 'r') } };
    const edit = { path: `${bindings}/rbac`, contentType: mergePatch, body: patch };
    await this.#kube.send({ method: 'PATCH', ...edit });
    await this.#there(path, has(2));
    await this.#there(`${bindings}/rbac`, (object) => at(object, 'status') !== undefined);
    await this.#kube.send({ method: 'DELETE', path: `${bindings}/rbac` });
  }

  /** Admission asks for the queue, and the gang has a PodGroup. */
  async queue(): Promise<void> {
    const apiVersion = 'scheduling.volcano.sh/v1beta1';
    const queue = { apiVersion, kind: 'Queue', metadata: { name: 'q' }, status: { state: 'Open' } };
    await this.#kube.send({ method: 'POST', path: queues, body: queue });
    await this.#kube.create(this.#here, 'podcliquesets', queued);
    const path = `${volcanoGroups(this.#here)}/v-0`;
    await this.#there(path, (object) => object !== undefined);
    await this.#strip(path);
  }

  async #scaleGroup(): Promise<void> {
    await this.#kube.scale(this.#here, 'podcliquescalinggroups', 'w-0-x', 3);
    await this.#pods('w-0-x-2-b', 1);
    await this.#kube.scale(this.#here, 'podcliquescalinggroups', 'w-0-x', 1);
    await this.#pods('w-0-x-1-b', 0);
  }

  /** A claim whose name is taken is made when that is free; a domain is there with its set. */
  async share(): Promise<void> {
    await this.#kube.create(this.#here, 'podcliquesets', sharing);
    await this.#kube.create(this.#here, 'podcliquesets', enrolled);
    const domain = `${computeDomains(this.#here)}/n-0-rack`;
    await this.#there(domain, (object) => object !== undefined);
    const claim = `${resourceClaims(this.#here)}/s-all-card`;
    await eventually(
      'the taken claim looked at',
      () => this.#stage.audit.requests(this.#here),
      (all) => all.some(({ resource, verb }) => resource === 'resourceclaims' && verb === 'get'),
    );
    await this.#kube.send({ method: 'DELETE', path: claim });
    await this.#there(claim, (object) => at(object, 'metadata', 'ownerReferences') !== undefined);
    await this.#strip(claim);
    const second = `${resourceClaims(this.#here)}/s-1-link`;
    await this.#kube.scale(this.#here, 'podcliquesets', 's', 2);
    await this.#there(second, (object) => object !== undefined);
    await this.#kube.scale(this.#here, 'podcliquesets', 's', 1);
    await this.#there(second, (object) => object === undefined);
  }

  /** Somebody holds gangs for a while: their PodGroups go at once. */
  async remove(): Promise<void> {
    const held = ['w-0', 'v-0'];
    const hold = (finalizers: readonly string[] | null) => (name: string) =>
      this.#kube.patch(this.#here, 'podgangs', name, { metadata: { finalizers } });
    await Promise.all(held.map(hold(['test.io/held'])));
    for (const name of ['w', 'v', 't', 't2', 't3', 's', 'n']) {
      await this.#kube.delete(this.#here, 'podcliquesets', name);
    }
    await this.#there(`${kaiGroups(this.#here)}/w-0`, isGone);
    await this.#there(`${volcanoGroups(this.#here)}/v-0`, isGone);
    await Promise.all(held.map(hold(null)));
    await this.#stage.empty(this.#here);
  }

  /** Until a PodClique has so many pods that run. */
  async #pods(owner: string, count: number): Promise<void> {
    const isMine = (pod: KubeObject): boolean =>
      pod.metadata.labels?.['grove.io/podclique'] === owner;
    await eventually(
      `${count} pods of ${owner}`,
      async () => (await this.#kube.list(this.#here, 'pods')).filter(isMine),
      (pods) =>
        pods.length === count &&
        pods.every((pod) => text(at(pod, 'status', 'phase')) === 'Running'),
      limitMs,
    );
  }

  async #there(path: string, isWanted: (object: unknown) => boolean): Promise<void> {
    const ask = (): Promise<unknown> =>
      this.#kube.send({ method: 'GET', path }).catch(() => undefined);
    await eventually(`${path} as wanted`, ask, isWanted, limitMs);
  }
}
