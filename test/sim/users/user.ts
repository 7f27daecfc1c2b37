// The user of a simulated run: deploys sets, scales, edits, breaks and deletes things while the
// controller has its bad day, and in the end takes back what would block the way (finalizers,
// pods that must not be ready). Acts through the API, without faults; what is refused is refused.
import type { Random } from '#actors/ports.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { at, labelsOf, listAt, numberAt, textAt, uidOf } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';
import { disowned, isHeldPod, isTaken, managedBy } from '../world/pending.ts';
import type { World } from '../world/world.ts';
import {
  cliques,
  groups,
  judged,
  leases,
  losable,
  markable,
  ofDomains,
  ofGroups,
  pods,
  services,
  sets,
  watchable,
} from './addresses.ts';
import type { Address } from './addresses.ts';
import { Failures } from './failures.ts';
import { dressed, type Others } from './others.ts';
import { between, drawShape, namespace, pick } from './workload.ts';
import { setNames, setObject, withGroups } from './workload.ts';

interface Habits extends Others {
  /** Whether it scales scaling groups. */
  readonly hasGroups: boolean;
}

export class User {
  readonly #world: World;
  readonly #random: Random;
  /** What concerns scaling groups is drawn apart. */
  readonly #grouping: Random;
  /** So is what it does to labels. */
  readonly #labelling: Random;
  readonly #hasGroups: boolean;
  readonly #more: readonly Address[];
  readonly #others: Others;
  #count = 0;
  readonly #failures: Failures;

  constructor(world: World, { hasGroups, ...others }: Habits) {
    this.#world = world;
    this.#hasGroups = hasGroups;
    this.#more = [
      ...(hasGroups ? [ofGroups] : []),
      ...(others.domains === undefined ? [] : [ofDomains]),
    ];
    this.#others = others;
    this.#random = world.random('user');
    this.#grouping = world.random('groups');
    this.#labelling = world.random('labels');
    this.#failures = new Failures(world);
  }

  async deploy(name: string): Promise<void> {
    const drawn = drawShape(this.#random);
    const shape = this.#hasGroups ? withGroups(this.#grouping, drawn) : drawn;
    await this.#ask('POST', sets, dressed(setObject(name, shape), this.#others));
  }

  /** One thing of a user's day. */
  async act(edits: readonly ((user: User) => Promise<void>)[]): Promise<void> {
    this.#count++;
    if (this.#hasGroups && this.#grouping.next() < 0.15) return this.scaleGroup();
    await pick(this.#random, edits)?.(this);
  }

  /** In the end there is something to see: both sets, except those still going. */
  async deployAll(): Promise<void> {
    for (const name of setNames) await this.deploy(name);
  }

  async takeFailedAway(): Promise<void> {
    for (const pod of this.#all('/pods')) {
      if (this.#failures.isTooLate(pod)) await this.#ask('DELETE', `${pods}/${nameOf(pod)}`);
    }
  }

  /**
   * Nothing of what was done on purpose stands in the way any more, but what must not be waited for
   * (pending.ts). `letsGo`: not even that.
   */
  async makePeace(letsGo = false): Promise<void> {
    await this.#world.strangers.makePeace();
    await this.#others.templates?.makePeace();
    if (letsGo) await this.#leaveNames();
    for (const [path, resource] of [...markable, ...this.#more]) {
      for (const object of this.#all(resource)) {
        if (!letsGo && isHeldPod(this.#world.cluster.store, object)) continue;
        const name = textAt(object, 'metadata', 'name');
        const finalizers = listAt(object, 'metadata', 'finalizers');
        const kept = finalizers.filter((each) => !String(each).startsWith('foreign/'));
        if (kept.length < finalizers.length) {
          await this.#merge(`${path}/${name}`, { metadata: { finalizers: kept } });
        }
        if (at(object, 'metadata', 'annotations', 'dev.coppice/ready') !== undefined) {
          const annotations = { 'dev.coppice/ready': null };
          await this.#merge(`${path}/${name}`, { metadata: { annotations } });
        }
      }
    }
  }

  async scaleSet(): Promise<void> {
    const set = this.#some('grove.io/podcliquesets');
    if (set === undefined) return;
    const replicas = pick(this.#random, [0, 1, 1, 2, 2, 3, 3]) ?? 1;
    await this.#merge(`${sets}/${nameOf(set)}/scale`, { spec: { replicas } });
  }

  async scaleClique(): Promise<void> {
    const clique = this.#some('grove.io/podcliques');
    if (clique === undefined) return;
    const replicas = between(this.#random, 1, 4);
    await this.#merge(`${cliques}/${nameOf(clique)}/scale`, { spec: { replicas } });
  }

  /** As an autoscaler does: never below the minimum. */
  async scaleGroup(): Promise<void> {
    const group = pick(this.#grouping, this.#all('grove.io/podcliquescalinggroups'));
    if (group === undefined) return;
    const least = numberAt(group, 'spec', 'minAvailable');
    const replicas = between(this.#grouping, least, least + 1);
    await this.#merge(`${groups}/${nameOf(group)}/scale`, { spec: { replicas } });
  }

  async touch(): Promise<void> {
    const set = this.#some('grove.io/podcliquesets');
    if (set === undefined) return;
    const annotations = { 'grove.io/reconcile-trigger': String(this.#count) };
    await this.#merge(`${sets}/${nameOf(set)}`, { metadata: { annotations } });
  }

  async deletePod(): Promise<void> {
    const pod = this.#some('/pods');
    if (pod === undefined) return;
    const body = this.#random.next() < 0.5 ? { gracePeriodSeconds: 0 } : undefined;
    await this.#ask('DELETE', `${pods}/${nameOf(pod)}`, body);
  }

  /** A pod that goes, but not before somebody else lets it. */
  async holdPod(): Promise<void> {
    const pod = this.#some('/pods');
    if (pod === undefined) return;
    const finalizers = [...listAt(pod, 'metadata', 'finalizers'), 'foreign/hold'];
    await this.#merge(`${pods}/${nameOf(pod)}`, { metadata: { finalizers } });
    await this.#ask('DELETE', `${pods}/${nameOf(pod)}`);
  }

  /** Somebody else has an object of a name that the controller will want. */
  async takeName(): Promise<void> {
    const name = `${pick(this.#random, setNames)}-${between(this.#random, 0, 3)}`;
    const metadata = { name, annotations: { 'foreign/own': 'x' } };
    const spec = { ports: [{ port: 80 }], selector: { app: 'theirs' } };
    await this.#ask('POST', services, { metadata, spec });
  }

  async #leaveNames(): Promise<void> {
    for (const service of this.#all('/services')) {
      if (!isTaken(service)) continue;
      await this.#ask('DELETE', `${services}/${nameOf(service)}`);
    }
  }

  async failPod(): Promise<void> {
    const pod = this.#some('/pods');
    if (pod !== undefined) await this.#failures.fail(pod);
  }

  async sicken(): Promise<void> {
    const pod = this.#some('/pods');
    if (pod === undefined) return;
    const annotations = { 'dev.coppice/ready': 'false' };
    await this.#merge(`${pods}/${nameOf(pod)}`, { metadata: { annotations } });
  }

  /** Labels, annotations and finalizers of somebody else, on anything. */
  async mark(): Promise<void> {
    const [path, resource] = this.#pickFrom(markable);
    const object = this.#some(resource);
    if (object === undefined) return;
    const key = `foreign/${between(this.#random, 1, 3)}`;
    const field = pick(this.#random, ['labels', 'annotations', 'finalizers']) ?? 'labels';
    const finalizers = [...new Set([...listAt(object, 'metadata', 'finalizers'), 'foreign/hold'])];
    const metadata = field === 'finalizers' ? { finalizers } : { [field]: { [key]: 'x' } };
    await this.#merge(`${path}/${nameOf(object)}`, { metadata });
  }

  /** A condition of another controller's. */
  async judge(): Promise<void> {
    const [path, resource] = this.#pickFrom(judged);
    const object = this.#some(resource);
    if (object === undefined) return;
    const others = listAt(object, 'status', 'conditions').filter(
      (row) => textAt(row, 'type') !== 'foreign/Seen',
    );
    const lastTransitionTime = new Date(this.#world.clock.now()).toISOString().slice(0, 19) + 'Z';
    const seen = { type: 'foreign/Seen', status: 'True', reason: 'Seen', message: '' };
    const conditions = [...others, { ...seen, lastTransitionTime }];
    await this.#merge(`${path}/${nameOf(object)}/status`, {
      metadata: { resourceVersion: at(object, 'metadata', 'resourceVersion') },
      status: { conditions },
    });
  }

  /** Takes a label of ours away, or a child as a whole: it must come back. */
  async damage(): Promise<void> {
    const [path, resource] = this.#pickFrom(losable);
    const object = this.#some(resource);
    if (object === undefined || labelsOf(object)['app.kubernetes.io/part-of'] === undefined) return;
    const body = { preconditions: { uid: uidOf(object) } };
    await this.#ask('DELETE', `${path}/${nameOf(object)}`, body);
    if (resource === '/secrets') await this.#trigger(nameOf(object).replace(/-ic-sat$/, ''));
  }

  /** Nobody sees a Secret go, so whoever deletes one asks for a look at its set. */
  async #trigger(set: string): Promise<void> {
    const annotations = { 'grove.io/reconcile-trigger': `secret ${this.#count}` };
    await this.#merge(`${sets}/${set}`, { metadata: { annotations } });
  }

  /** Takes off the label by which the controller watches its pods and Services. */
  async disown(): Promise<void> {
    const [path, resource] = pick(this.#labelling, watchable) ?? watchable[0];
    const object = pick(this.#labelling, this.#all(resource));
    if (object === undefined || labelsOf(object)[managedBy] === undefined) return;
    const metadata = { labels: { [managedBy]: null }, annotations: { [disowned]: 'x' } };
    await this.#merge(`${path}/${nameOf(object)}`, { metadata });
  }

  /** By hand, as somebody who does not know better. */
  async deleteLease(): Promise<void> {
    const lease = pick(
      this.#random,
      this.#all('coordination.k8s.io/leases').filter((each) => nameOf(each).startsWith('coppice-')),
    );
    if (lease !== undefined) await this.#ask('DELETE', `${leases}/${nameOf(lease)}`);
  }

  async deploySome(): Promise<void> {
    await this.deploy(pick(this.#random, setNames) ?? setNames[0]);
  }

  async deleteSet(): Promise<void> {
    const set = this.#some('grove.io/podcliquesets');
    if (set === undefined) return;
    const propagationPolicy = pick(this.#random, ['Background', 'Foreground']);
    await this.#ask('DELETE', `${sets}/${nameOf(set)}`, { propagationPolicy });
  }

  /** Same name, other UID, and often another shape, as soon as the name is free. */
  async replaceSet(): Promise<void> {
    const set = this.#some('grove.io/podcliquesets');
    if (set === undefined) return;
    await this.deleteSet();
    const { clock } = this.#world;
    const soon = clock.now() + between(this.#random, 0, 3_000);
    clock.at(soon, () => void this.deploy(nameOf(set)));
  }

  #pickFrom(addresses: readonly Address[]): Address {
    return pick(this.#random, [...addresses, ...this.#more]) ?? ofGroups;
  }

  #all(resource: string): readonly Stored[] {
    return this.#world.cluster.store.collection(resource).list(namespace);
  }

  #some(resource: string): Stored | undefined {
    return pick(this.#random, this.#all(resource));
  }

  #merge(path: string, body: unknown): Promise<void> {
    return this.#ask('PATCH', path, body);
  }

  async #ask(method: KubeRequest['method'], path: string, body?: unknown): Promise<void> {
    const contentType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    await this.#world.ask({ method, path, contentType, ...(body === undefined ? {} : { body }) });
  }
}
