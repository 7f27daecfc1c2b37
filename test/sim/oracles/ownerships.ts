// The oracle over ownership (O5): after the first write of a newer owner of a tree, none of an
// older one takes effect. Who owns what when is read from the Leases in the store and never asked
// of the controllers; each write carries, beside the request, whose it is and when it was decided.
// An owner from whom the shard was taken by force may go on until it is shown that (owning.ts).
import { shardOf } from '#actors/shards/shard.ts';
import { actorId } from '#machines/contract/address.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { at, labelsOf, numberAt, textAt } from '../fields.ts';
import { namespace } from '../users/workload.ts';
import type { Oracles } from './oracles.ts';
import { type Place, placeOf } from './place.ts';
import type { Tally } from './tally.ts';

/** Whose write it is, and how many changes of hands there had been when it was handed to the
 *  client: what waits in the process for a socket was decided then. */
export interface Tag {
  readonly life: number;
  readonly moment: number;
}

/** One holder of one shard, until the next. */
interface Ownership {
  readonly shard: number;
  readonly life: number;
  /** By somebody's hand, and not by the protocol of the leases. */
  readonly isForced: boolean;
}

/** Versions of the first and the last write of a reign on a tree. */
interface Deeds {
  readonly first: number;
  last: number;
}

/** The name of the process in its leases; `lifeOf` reads it. */
export const hostName = (life: number): string => `controller-${life}`;

/** 0: of no process. */
export const lifeOf = (member: string): number =>
  Number(/^controller-(\d+)-/.exec(member)?.[1] ?? 0);

export interface OwnershipsOptions {
  readonly store: Store;
  readonly oracles: Pick<Oracles, 'violate'>;
  readonly shards: number;
  readonly tally: Tally;
  /** Undefined: actors of several trees may write it. */
  readonly treeOf: (place: Place, object: unknown) => ActorKey | undefined;
}

export class Ownerships {
  readonly #store: Store;
  readonly #oracles: Pick<Oracles, 'violate'>;
  readonly #shards: number;
  readonly #tally: Tally;
  readonly #treeOf: OwnershipsOptions['treeOf'];
  /** In the order in which they began. */
  readonly #ownerships: Ownership[] = [];
  /** By tree, then by the number of the reign. */
  readonly #deeds = new Map<string, Map<number, Deeds>>();

  /** Shards whose lease is changed by hand now, or was deleted so. */
  readonly #forced = new Set<number>();
  /** How often a shard was given away by force. */
  forced = 0;
  /** Until then one who lost a shard by force may not have heard it. */
  dividedUntil = -Infinity;

  constructor({ store, oracles, shards, tally, treeOf: tree }: OwnershipsOptions) {
    this.#store = store;
    this.#oracles = oracles;
    this.#shards = shards;
    this.#tally = tally;
    this.#treeOf = tree;
    store.collection('coordination.k8s.io/leases').onChange((change) => this.#take(change));
  }

  /** For the tag of what is decided now. */
  get moment(): number {
    return this.#ownerships.length;
  }

  /** Changes of hands so far, the first owners included. */
  get changes(): number {
    return this.#ownerships.length;
  }

  /** Somebody changes or deletes the lease of a shard by hand. */
  async force(shard: number, change: () => Promise<KubeResponse>): Promise<void> {
    this.#forced.add(shard);
    const { status } = await change();
    if (status < 300) this.forced++;
    else this.#forced.delete(shard);
  }

  /** Carries a request out, and judges what came of it. */
  async judge(
    tag: Tag,
    request: KubeRequest,
    carryOut: () => Promise<KubeResponse>,
  ): Promise<KubeResponse> {
    const place = placeOf(request.path);
    if (request.method === 'GET' || ['events', 'leases'].includes(place.plural)) return carryOut();
    const before = this.#live(place);
    const response = await carryOut();
    const tree = this.#treeOf(place, before ?? request.body);
    const version = this.#effect(request, place, before, response);
    if (version !== undefined && tree !== undefined)
      this.#judgeEffect(tag, tree, version, `${request.method} ${request.path}`);
    return response;
  }

  #take({ type, object, previous }: Change): void {
    const shard = Number(/^coppice-shard-(\d+)$/.exec(textAt(object, 'metadata', 'name'))?.[1]);
    if (Number.isNaN(shard) || type === 'DELETED') return;
    const [holder, before] = [holderOf(object), holderOf(previous)];
    const isForced = this.#forced.delete(shard);
    if (type === 'ADDED' || holder !== before)
      this.#ownerships.push({ shard, life: lifeOf(holder), isForced });
    const isNewEpoch = epochOf(object) > epochOf(previous);
    if (isForced || isNewEpoch) return;
    if (type === 'MODIFIED' && holder !== '' && holder !== before) {
      this.#oracles.violate(`shard ${shard} goes to ${holder} and its epoch stays`);
    }
  }

  #live({ collection, namespace, name }: Place): Stored | undefined {
    return this.#store.collection(collection).get(namespace, name);
  }

  /** The version at which the write took effect; undefined when it did not. */
  #effect(
    { method }: KubeRequest,
    place: Place,
    before: Stored | undefined,
    { status, body }: KubeResponse,
  ): number | undefined {
    if (status >= 300) return undefined;
    const version = textAt(body, 'metadata', 'resourceVersion');
    const isGone = method !== 'POST' && this.#live(place) === undefined;
    if (method === 'DELETE' || isGone) return this.#store.version;
    return version === textAt(before, 'metadata', 'resourceVersion') ? undefined : Number(version);
  }

  #judgeEffect({ life, moment }: Tag, root: ActorKey, version: number, what: string): void {
    const tree = actorId(root);
    const shard = shardOf(root, this.#shards);
    const ownership = this.#ownerships.findLastIndex(
      (each, index) => index < moment && each.shard === shard && each.life === life,
    );
    if (ownership < 0) {
      return this.#oracles.violate(`controller ${life} never owned ${tree} and writes: ${what}`);
    }
    const ownerships = this.#deeds.get(tree) ?? new Map<number, Deeds>();
    this.#deeds.set(tree, ownerships);
    const deeds = ownerships.get(ownership) ?? { first: version, last: version };
    ownerships.set(ownership, { ...deeds, last: Math.max(deeds.last, version) });
    this.#tally.judged('write after the next owner');
    for (const [other, { first }] of ownerships) {
      if (other <= ownership || first > version) continue;
      if (this.#isForced(shard, ownership, other)) {
        this.#tally.abstained('write after the next owner', 'an owner by force, not shown yet');
        continue;
      }
      this.#oracles.violate(
        `${what} of controller ${life} takes effect after the first write of the next owner, ` +
          `controller ${this.#ownerships[other]?.life}`,
      );
    }
  }

  /** Somewhere on the way from this reign to that one. */
  #isForced(shard: number, from: number, to: number): boolean {
    const later = this.#ownerships.slice(from + 1, to + 1);
    return later.some((each) => each.shard === shard && each.isForced);
  }
}

export const holderOf = (lease: unknown): string => textAt(lease, 'spec', 'holderIdentity');
export const epochOf = (lease: unknown): number => numberAt(lease, 'spec', 'leaseTransitions');

/** The set that the object belongs to; a binding is a tree of its own. */
export const treeOf = (place: Place, object: unknown): ActorKey =>
  place.plural === 'clustertopologybindings' || place.plural === 'topologies'
    ? {
        kind: 'topologybinding',
        namespace: '',
        name: place.name || textAt(object, 'metadata', 'name'),
      }
    : {
        kind: 'podcliqueset',
        namespace,
        name: place.plural === 'podcliquesets' ? place.name : partOf(object),
      };

const partOf = (object: unknown): string =>
  labelsOf(object)['app.kubernetes.io/part-of'] ?? textAt(at(object, 'metadata'), 'name');
