// Shared ResourceClaims in a simulation: sets share claims at all three levels, and somebody
// deletes, relabels and disowns claims, and takes away and makes the templates that sets refer to,
// at any time of a bad day.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { claimSpec, claimTemplate } from '#test/support/sharing.ts';
import { at, fieldsAt, labelsOf, listAt, textAt } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { namespace, pick } from './workload.ts';

const inDefault = (plural: string): string =>
  `/apis/resource.k8s.io/v1/namespaces/${namespace}/${plural}`;
const claims = inDefault('resourceclaims');
const templates = inDefault('resourceclaimtemplates');

/** Of the set, and of the cluster. */
const inner = 'inner';
const outer = 'outer';

type Ask = (request: KubeRequest) => Promise<unknown>;

export class Sharing {
  readonly #random: Random;
  readonly #ask: Ask;
  readonly #store: Store;

  constructor(random: Random, ask: Ask, store: Store) {
    this.#random = random;
    this.#ask = ask;
    this.#store = store;
  }

  /** The set with lists of what its parts share, or rarely without any. */
  dress(set: JsonObject): JsonObject {
    const template = fieldsAt(set, 'spec', 'template');
    const groups = listAt(template, 'podCliqueScalingGroups').map((group) => fieldsAt(group));
    const cliques = listAt(template, 'cliques').map((clique) => fieldsAt(clique));
    const names = [...cliques, ...groups].map((part) => textAt(part, 'name'));
    const spec = {
      ...fieldsAt(set, 'spec'),
      template: {
        ...template,
        resourceClaimTemplates: [{ name: inner, templateSpec: { spec: claimSpec('inner') } }],
        resourceSharing: this.#shares(names),
        cliques: cliques.map((clique) => ({ ...clique, resourceSharing: this.#shares([]) })),
        ...(groups.length === 0
          ? {}
          : {
              podCliqueScalingGroups: groups.map((group) => ({
                ...group,
                resourceSharing: this.#shares(listAt(group, 'cliqueNames').map(String)),
              })),
            }),
      },
    };
    return JSON.parse(JSON.stringify({ ...set, spec }));
  }

  #shares(names: readonly string[]): JsonObject[] {
    return [inner, outer].flatMap((name): JsonObject[] => {
      if (this.#random.next() < 0.4) return [];
      const scope = this.#random.next() < 0.4 ? 'AllReplicas' : 'PerReplica';
      const only = pick(this.#random, names);
      const isFiltered = only !== undefined && this.#random.next() < 0.4;
      const filter = isFiltered ? { filter: { childCliqueNames: [only] } } : {};
      return [{ name, scope, ...filter }];
    });
  }

  /** Somebody does something to a claim or a template. */
  async change(): Promise<void> {
    const way = this.#random.next();
    if (way < 0.15) return this.#request('DELETE', `${templates}/${outer}`);
    if (way < 0.4) return this.#makeTemplate();
    const claim = pick(this.#random, this.#find());
    if (claim === undefined) return;
    const path = `${claims}/${nameOf(claim)}`;
    if (way < 0.7) return this.#request('DELETE', path);
    const label = pick(
      this.#random,
      Object.keys(labelsOf(claim)).filter((key) => !identifying.includes(key)),
    );
    const others = ownersOf(claim).filter((owner) => !isController(owner));
    const metadata = way < 0.85 ? { ownerReferences: others } : { labels: { [label ?? '']: null } };
    return this.#request('PATCH', path, { metadata });
  }

  /** In the end every template is there, and no claim is left whose owner may have gone without
   *  it. */
  async makePeace(): Promise<void> {
    await this.#makeTemplate();
    for (const claim of this.#find()) {
      if (hasOwner(claim)) continue;
      await this.#request('DELETE', `${claims}/${nameOf(claim)}`);
    }
  }

  #find(): readonly Stored[] {
    return this.#store.collection('resource.k8s.io/resourceclaims').list(namespace);
  }

  #makeTemplate(): Promise<void> {
    return this.#request('POST', templates, { ...claimTemplate(namespace, outer) });
  }

  async #request(method: KubeRequest['method'], path: string, body?: JsonObject | object) {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    await this.#ask({ method, path, contentType, ...(body === undefined ? {} : { body }) });
  }
}

/** Without these, or the last two and an owner, a claim is nobody's: it seems gone, and its name
 *  taken. */
const identifying = [
  'app.kubernetes.io/managed-by',
  'app.kubernetes.io/part-of',
  'grove.io/podclique',
  'grove.io/podcliquescalinggroup',
];

const ownersOf = (claim: Stored): readonly unknown[] =>
  listAt(claim, 'metadata', 'ownerReferences');

const isController = (owner: unknown): boolean => at(owner, 'controller') === true;

const hasOwner = (claim: Stored): boolean => ownersOf(claim).some(isController);
