// NVLink in a simulation: each layer of a set may name a group, or opt out, and most cliques ask
// for GPUs; somebody deletes ComputeDomains, and one plays NVIDIA's controller. What must come of
// it is in expected/domains.ts.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { domainKind } from '../expected/domains.ts';
import { fieldsAt, listAt, textAt } from '../fields.ts';
import { pick } from './workload.ts';

const domainsPath = '/apis/resource.nvidia.com/v1beta1/namespaces/default/computedomains';

/** Nothing is said at most layers, so that those below count. */
const groups = [undefined, undefined, undefined, 'east', 'west', 'none'] as const;

type Fields = Readonly<Record<string, unknown>>;
type Ask = (request: KubeRequest) => Promise<unknown>;

export class Domains {
  readonly #random: Random;
  readonly #ask: Ask;
  readonly #store: Store;

  constructor(random: Random, ask: Ask, store: Store) {
    this.#random = random;
    this.#ask = ask;
    this.#store = store;
  }

  /** The set with groups and GPUs. */
  enrol(set: JsonObject): JsonObject {
    const template = fieldsAt(set, 'spec', 'template');
    const parts = ['cliques', 'podCliqueScalingGroups'].flatMap((field) =>
      field in template ? [[field, listAt(template, field).map((part) => this.#dress(part))]] : [],
    );
    const metadata = this.#named(fieldsAt(set, 'metadata'), 'rack');
    const spec = {
      ...fieldsAt(set, 'spec'),
      template: { ...template, ...Object.fromEntries(parts) },
    };
    return JSON.parse(JSON.stringify({ ...set, metadata, spec }));
  }

  /** Somebody deletes one, or it gets a status, or NVIDIA's controller holds it for a while. */
  async disturb(): Promise<void> {
    const domain = pick(this.#random, this.#store.collection(domainKind).list('default'));
    if (domain === undefined) return;
    const path = `${domainsPath}/${textAt(domain, 'metadata', 'name')}`;
    const merge = (at: string, body: object): Promise<unknown> =>
      this.#ask({ method: 'PATCH', path: at, contentType: 'application/merge-patch+json', body });
    const way = this.#random.next();
    if (way < 0.4) {
      await this.#ask({ method: 'DELETE', path });
    } else if (way < 0.8) {
      await merge(`${path}/status`, { status: { status: 'Ready', seen: String(way) } });
    } else {
      const finalizers = [
        ...new Set([...listAt(domain, 'metadata', 'finalizers'), 'foreign/hold']),
      ];
      await merge(path, { metadata: { finalizers } });
    }
  }

  /** A clique or a scaling group. */
  #dress(part: unknown): Fields {
    const fields = this.#named(fieldsAt(part));
    const gpus = 'spec' in fields ? pick(this.#random, ['1', '1', 1, '0', undefined]) : undefined;
    return gpus === undefined ? fields : withGpus(fields, gpus);
  }

  /** `usual`: what it says where nothing was drawn. */
  #named(layer: Fields, usual?: string): Fields {
    const group = pick(this.#random, groups) ?? usual;
    if (group === undefined) return layer;
    const annotations = { ...fieldsAt(layer, 'annotations'), 'grove.io/mnnvl-group': group };
    return { ...layer, annotations };
  }
}

function withGpus(clique: Fields, gpus: string | number): Fields {
  const podSpec = fieldsAt(clique, 'spec', 'podSpec');
  const [main, ...others] = listAt(podSpec, 'containers');
  const resources = { limits: { 'nvidia.com/gpu': gpus } };
  const containers = [{ ...fieldsAt(main), resources }, { name: 'log', image: 'x' }, ...others];
  return { ...clique, spec: { ...fieldsAt(clique, 'spec'), podSpec: { ...podSpec, containers } } };
}
