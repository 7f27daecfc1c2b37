// A kubectl for the tests on the real control plane: reads, creates, patches and deletes, and
// throws with the server's words where it refuses. Objects come back as they are.
import type { KubeTransport, KubeRequest } from '#src/kube/transport/transport.ts';

/** An object as the tests look at it; a list where it is read from a collection. */
export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly generation?: number;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
    readonly ownerReferences?: readonly OwnerReference[];
  };
  readonly spec?: { readonly replicas?: number; readonly nodeName?: string };
  readonly status?: { readonly availableReplicas?: number; readonly conditions?: unknown };
  readonly [field: string]: unknown;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** Collections in a namespace, by resource. */
const groups = {
  podcliquesets: '/apis/grove.io/v1alpha1',
  podcliques: '/apis/grove.io/v1alpha1',
  podcliquescalinggroups: '/apis/grove.io/v1alpha1',
  podgangs: '/apis/scheduler.grove.io/v1alpha1',
  pods: '/api/v1',
  services: '/api/v1',
  serviceaccounts: '/api/v1',
  secrets: '/api/v1',
  events: '/api/v1',
  horizontalpodautoscalers: '/apis/autoscaling/v2',
  roles: '/apis/rbac.authorization.k8s.io/v1',
  rolebindings: '/apis/rbac.authorization.k8s.io/v1',
} as const;
export type Resource = keyof typeof groups;

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

export class Kube {
  readonly #transport: KubeTransport;

  constructor(transport: KubeTransport) {
    this.#transport = transport;
  }

  /** The body of a reply below 300; throws for any other. */
  async send(request: KubeRequest): Promise<unknown> {
    const reply = await this.#transport.request(request);
    if (reply.status < 300) return reply.body;
    const words = JSON.stringify(reply.body).slice(0, 500);
    throw new Error(`${request.method} ${request.path}: ${reply.status} ${words}`);
  }

  async list(namespace: string, resource: Resource): Promise<readonly KubeObject[]> {
    const body = await this.send({ method: 'GET', path: pathOf(namespace, resource) });
    return (body as { items: readonly KubeObject[] }).items;
  }

  /** Whether there is any of ours; costs the server little, however many there are. */
  async hasAny(namespace: string, resource: Resource): Promise<boolean> {
    const ours = 'labelSelector=app.kubernetes.io%2Fmanaged-by%3Dgrove-operator&';
    const query = `?${resource === 'podcliquesets' ? '' : ours}limit=1`;
    const body = await this.send({ method: 'GET', path: pathOf(namespace, resource) + query });
    return (body as { items: readonly KubeObject[] }).items.length > 0;
  }

  /** Undefined where it is not there. */
  async get(namespace: string, resource: Resource, name: string): Promise<KubeObject | undefined> {
    const all = await this.list(namespace, resource);
    return all.find((object) => object.metadata.name === name);
  }

  async create(namespace: string, resource: Resource, body: unknown): Promise<KubeObject> {
    const path = pathOf(namespace, resource);
    return (await this.send({ method: 'POST', path, body })) as KubeObject;
  }

  /** JSON merge patch; `name` may end in `/status` or `/scale`. */
  async patch(namespace: string, resource: Resource, name: string, body: unknown): Promise<void> {
    const path = `${pathOf(namespace, resource)}/${name}`;
    const contentType = 'application/merge-patch+json';
    await this.send({ method: 'PATCH', path, contentType, body });
  }

  /** As `kubectl scale` does. */
  scale(namespace: string, resource: Resource, name: string, replicas: number): Promise<void> {
    return this.patch(namespace, resource, `${name}/scale`, { spec: { replicas } });
  }

  async delete(
    namespace: string,
    resource: Resource,
    name: string,
    propagationPolicy: Propagation = 'Background',
  ): Promise<void> {
    const path = `${pathOf(namespace, resource)}/${name}`;
    await this.send({ method: 'DELETE', path, body: { propagationPolicy } });
  }
}

export const pathOf = (namespace: string, resource: Resource): string =>
  `${groups[resource]}/namespaces/${namespace}/${resource}`;
