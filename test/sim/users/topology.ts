// Placement by topology in a simulation: sets get constraints at all three levels, and somebody
// makes, changes and deletes the ClusterTopologyBinding that they name, at any time of a bad day.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { fieldsAt, listAt } from '../fields.ts';
import { pick } from './workload.ts';

const bindings = '/apis/grove.io/v1alpha1/clustertopologybindings';
const bindingName = 'fabric';

/** Every node has these labels; two keys for a domain, so that there is something to change. */
const keys: Readonly<Record<string, readonly string[]>> = {
  zone: ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'],
  rack: ['topology.kubernetes.io/rack', 'topology.kubernetes.io/block'],
  host: ['kubernetes.io/hostname'],
};

/** The last one is never a level. */
const domains = ['zone', 'rack', 'host', 'cell'] as const;

type Ask = (request: KubeRequest) => Promise<unknown>;

export class Topology {
  readonly #random: Random;
  readonly #ask: Ask;

  constructor(random: Random, ask: Ask) {
    this.#random = random;
    this.#ask = ask;
  }

  /** The set with constraints, or rarely without any. */
  constrain(set: JsonObject): JsonObject {
    const template = fieldsAt(set, 'spec', 'template');
    const dressed = this.#maybe('fabric', template);
    const parts = ['cliques', 'podCliqueScalingGroups'].flatMap((field) =>
      field in template
        ? [[field, listAt(template, field).map((part) => this.#maybe('', fieldsAt(part)))]]
        : [],
    );
    const spec = {
      ...fieldsAt(set, 'spec'),
      template: { ...dressed, ...Object.fromEntries(parts) },
    };
    return JSON.parse(JSON.stringify({ ...set, spec }));
  }

  #maybe(topologyName: string, part: Readonly<Record<string, unknown>>) {
    if (this.#random.next() < 0.4) return part;
    const pack = {
      ...(this.#random.next() < 0.7 ? { required: pick(this.#random, domains) } : {}),
      preferred: pick(this.#random, domains),
    };
    return { ...part, topologyConstraint: { topologyName, pack } };
  }

  /** Somebody changes the binding. */
  async change(): Promise<void> {
    const way = this.#random.next();
    if (way < 0.35) {
      await this.#ask({ method: 'DELETE', path: `${bindings}/${bindingName}` });
      return;
    }
    const spec = { levels: this.#levels() };
    const kind = { apiVersion: 'grove.io/v1alpha1', kind: 'ClusterTopologyBinding' };
    const body = { ...kind, metadata: { name: bindingName }, spec };
    await this.#ask({ method: 'POST', path: bindings, body });
    await this.#ask({
      method: 'PATCH',
      path: `${bindings}/${bindingName}`,
      contentType: 'application/merge-patch+json',
      body: { spec },
    });
  }

  #levels(): JsonObject[] {
    return Object.entries(keys)
      .filter(() => this.#random.next() < 0.8)
      .concat([['other', ['example.com/other']]])
      .map(([domain, of]) => ({ domain, key: pick(this.#random, of) ?? domain }));
  }
}
