// Who uses the cluster on a day of chaos: deploys sets of every shape and a warm pool, scales sets,
// scaling groups, PodCliques and pools up and down, makes claims and gives them back, and evicts
// pods. Acts around the proxies; what the server refuses, or cannot answer, is not done.
import type { Random } from '#actors/ports.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import { fieldsAt, listAt, numberAt } from '#test/sim/fields.ts';
import { all, isGoing, nameOf, namespace, paths, type What } from '#test/sim/pools/objects.ts';
import { drawShape, pick, setObject, withGroups } from '#test/sim/users/workload.ts';
import { sets } from '#test/sim/users/addresses.ts';
import { type Ask, type Asking, askingAs } from './asking.ts';

const grove = `/apis/grove.io/v1alpha1/namespaces/${namespace}`;
const extensions = 'extensions.agents.x-k8s.io/v1beta1';
export const setsOfTheDay = ['alpha', 'beta', 'gamma'] as const;
const mostClaims = 12;
const tolerations = [
  { key: 'node_role.e2e.grove.nvidia.com', operator: 'Exists', effect: 'NoSchedule' },
];

export class User {
  readonly #ask: Ask;
  readonly #store: () => Store;
  readonly #random: Random;
  /** Names of claims that were made and not given back. */
  readonly #claims = new Set<string>();
  #made = 0;

  constructor(options: Asking & { readonly store: () => Store; readonly random: Random }) {
    this.#ask = askingAs('the user', options);
    this.#store = options.store;
    this.#random = options.random;
  }

  async deploy(): Promise<void> {
    for (const name of setsOfTheDay) await this.#deploySet(name);
    const container = { name: 'main', image: 'registry.example/box:1' };
    await this.#create('templates', 'SandboxTemplate', 'box', {
      podTemplate: { spec: { tolerations, containers: [container] } },
      networkPolicyManagement: 'Unmanaged',
    });
    await this.#create('pools', 'SandboxWarmPool', 'warm', {
      replicas: 4,
      sandboxTemplateRef: { name: 'box' },
    });
  }

  /** One thing of a day. */
  async act(): Promise<void> {
    const acts: readonly (() => Promise<void>)[] = [
      () => this.#scaleSet(),
      () => this.#scaleSet(),
      () => this.#scale('podcliques'),
      () => this.#scale('podcliques'),
      () => this.#scale('podcliquescalinggroups'),
      () => this.#scale('podcliquescalinggroups'),
      () => this.#scalePool(),
      () => this.#claim(),
      () => this.#claim(),
      () => this.#giveBack(),
      () => this.#deletePod(),
      () => this.#replaceSet(),
    ];
    await pick(this.#random, acts)?.();
  }

  /** As a drain does. */
  async evict(): Promise<void> {
    const pod = this.#some('/pods');
    if (pod === undefined) return;
    const path = `/api/v1/namespaces/${namespace}/pods/${nameOf(pod)}/eviction`;
    const metadata = { name: nameOf(pod), namespace };
    await this.#ask('POST', path, { apiVersion: 'policy/v1', kind: 'Eviction', metadata });
  }

  /** The same sizes on every day, however it went. */
  async finish(): Promise<void> {
    for (const name of setsOfTheDay) {
      await this.#deploySet(name);
      await this.#scaleTo('podcliquesets', name, 2);
    }
    for (const name of this.#lost) await this.#claimAs(name);
    await this.#merge(`${paths.pools}/warm`, { spec: { replicas: 4 } });
  }

  /** What was made and not given back, and is there no more. */
  get lostClaims(): readonly string[] {
    return this.#lost.map((name) => `claim ${name} is lost`);
  }

  /** The cluster was restored: what it does not have now was never made. */
  forget(): void {
    const there = new Set(all(this.#store(), 'claims').map(nameOf));
    this.#claims.clear();
    for (const name of there) this.#claims.add(name);
  }

  get #lost(): readonly string[] {
    const there = new Set(all(this.#store(), 'claims').map(nameOf));
    return [...this.#claims].filter((name) => !there.has(name));
  }

  async #deploySet(name: string): Promise<void> {
    const drawn = drawShape(this.#random);
    const shape = name === 'alpha' ? drawn : withGroups(this.#random, drawn);
    await this.#ask('POST', sets, tolerant(setObject(name, shape)));
  }

  async #scaleSet(): Promise<void> {
    const set = this.#some('grove.io/podcliquesets');
    const replicas = pick(this.#random, [0, 1, 2, 3, 4]) ?? 1;
    if (set !== undefined) await this.#scaleTo('podcliquesets', nameOf(set), replicas);
  }

  /** Never below the minimum: the server has no webhook here that would refuse it. */
  async #scale(plural: 'podcliques' | 'podcliquescalinggroups'): Promise<void> {
    const object = this.#some(`grove.io/${plural}`);
    if (object === undefined) return;
    const least = Math.max(1, numberAt(object, 'spec', 'minAvailable'));
    const replicas = least + (pick(this.#random, [0, 1, 2, 3]) ?? 0);
    await this.#scaleTo(plural, nameOf(object), replicas);
  }

  async #scalePool(): Promise<void> {
    const replicas = pick(this.#random, [1, 3, 5, 8]) ?? 3;
    await this.#merge(`${paths.pools}/warm`, { spec: { replicas } });
  }

  async #claim(): Promise<void> {
    if (this.#claims.size < mostClaims) await this.#claimAs(`claim-${++this.#made}`);
  }

  async #claimAs(name: string): Promise<void> {
    const spec = { warmPoolRef: { name: 'warm' } };
    const isMade = await this.#create('claims', 'SandboxClaim', name, spec);
    if (isMade) this.#claims.add(name);
  }

  async #giveBack(): Promise<void> {
    const claim = pick(this.#random, [...this.#claims]);
    if (claim === undefined) return;
    // Whatever the answer: it may have been carried out.
    this.#claims.delete(claim);
    await this.#ask('DELETE', `${paths.claims}/${claim}`);
  }

  async #deletePod(): Promise<void> {
    const pod = this.#some('/pods');
    if (pod === undefined) return;
    await this.#ask('DELETE', `/api/v1/namespaces/${namespace}/pods/${nameOf(pod)}`);
  }

  /** Same name, other UID, and another shape. */
  async #replaceSet(): Promise<void> {
    const set = this.#some('grove.io/podcliquesets');
    if (set !== undefined) await this.#ask('DELETE', `${sets}/${nameOf(set)}`);
    await this.#deploySet(pick(this.#random, setsOfTheDay) ?? 'alpha');
  }

  #some(collection: string): Stored | undefined {
    const there = this.#store().collection(collection).list(namespace);
    return pick(
      this.#random,
      there.filter((object) => !isGoing(object)),
    );
  }

  #scaleTo(plural: string, name: string, replicas: number): Promise<boolean> {
    return this.#merge(`${grove}/${plural}/${name}/scale`, { spec: { replicas } });
  }

  #create(what: What & keyof typeof paths, kind: string, name: string, spec: JsonObject) {
    const metadata = { name, namespace };
    return this.#ask('POST', paths[what], { apiVersion: extensions, kind, metadata, spec });
  }

  #merge(path: string, body: JsonObject): Promise<boolean> {
    return this.#ask('PATCH', path, body);
  }
}

/** Its pods may run on the nodes that KWOK plays. */
function tolerant(set: JsonObject): JsonObject {
  const copy = structuredClone(set) as Record<string, unknown>;
  for (const clique of listAt(copy, 'spec', 'template', 'cliques')) {
    Object.assign(fieldsAt(clique, 'spec', 'podSpec'), { tolerations });
  }
  return copy as JsonObject;
}
