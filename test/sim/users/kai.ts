// Sets for the KAI scheduler in a simulation: some name it, with a queue of their own or of one
// clique; its PodGroups are damaged and deleted, and its CRD comes and goes, at any time of a bad
// day.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { kaiPodGroupCrd, kaiTopologyCrd } from '#test/support/backends.ts';
import { fieldsAt, listAt } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { between, namespace, pick } from './workload.ts';

export const kaiName = 'kai-scheduler';
export const kaiGroups = 'scheduling.run.ai/podgroups';
const queue = 'kai.scheduler/queue';
const groups = `/apis/scheduling.run.ai/v2alpha2/namespaces/${namespace}/podgroups`;
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

type Ask = (request: KubeRequest) => Promise<unknown>;

export class Kai {
  readonly #random: Random;
  readonly #ask: Ask;
  /** The PodGroups that there are. */
  readonly #all: () => readonly Stored[];

  constructor(random: Random, ask: Ask, all: () => readonly Stored[]) {
    this.#random = random;
    this.#ask = ask;
    this.#all = all;
  }

  /** Two sets of three are for KAI. */
  schedule(set: JsonObject): JsonObject {
    if (this.#random.next() < 0.33) return set;
    const spec = fieldsAt(set, 'spec');
    const template = fieldsAt(spec, 'template');
    const isOfSet = this.#random.next() < 0.5;
    const named = { [queue]: 'team' };
    const cliques = listAt(template, 'cliques').map((clique, index) => {
      const inner = fieldsAt(clique, 'spec');
      const podSpec = { ...fieldsAt(inner, 'podSpec'), schedulerName: kaiName };
      const annotations = {
        ...fieldsAt(clique, 'annotations'),
        ...(index === 0 && !isOfSet ? named : {}),
      };
      return { ...fieldsAt({ clique }, 'clique'), annotations, spec: { ...inner, podSpec } };
    });
    const metadata = fieldsAt(set, 'metadata');
    const labels = { ...fieldsAt(metadata, 'labels'), ...(isOfSet ? named : {}) };
    return JSON.parse(
      JSON.stringify({
        ...set,
        metadata: { ...metadata, labels },
        spec: { ...spec, template: { ...template, cliques } },
      }),
    );
  }

  /** Its CRDs, those that are not there. */
  async install(): Promise<void> {
    for (const body of [kaiPodGroupCrd(), kaiTopologyCrd]) {
      await this.#ask({ method: 'POST', path: definitions, body });
    }
  }

  /** Somebody does something to a PodGroup, or to all of them. */
  async trouble(): Promise<void> {
    if (this.#random.next() < 0.15) return this.#turn();
    const one = pick(this.#random, this.#all());
    if (one === undefined) return;
    const path = `${groups}/${nameOf(one)}`;
    if (this.#random.next() < 0.3) return void (await this.#ask({ method: 'DELETE', path }));
    const body = pick<JsonObject>(this.#random, [
      { spec: { minMember: between(this.#random, 0, 9) } },
      { spec: { subGroups: [] } },
      { spec: { markUnschedulable: true, queue: 'moved' } },
      { metadata: { labels: { 'foreign/seen': 'x' } } },
      { metadata: { annotations: { 'kai.scheduler/skip-podgrouper': 'false' } } },
    ]);
    const contentType = 'application/merge-patch+json';
    await this.#ask({ method: 'PATCH', path, contentType, body });
  }

  /** The CRD goes, with all that there is of it, or comes. */
  async #turn(): Promise<void> {
    if (this.#random.next() < 0.6) return this.install();
    await this.#ask({ method: 'DELETE', path: `${definitions}/podgroups.scheduling.run.ai` });
  }
}
