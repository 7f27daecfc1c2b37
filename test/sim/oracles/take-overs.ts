// Judges whether a process looks before it plans a tree that it takes over (decision 0012): it
// makes and deletes no pod of a PodClique, and tells no status of it, where the shard came to it
// with pods that it was never shown, or with a newer spec of the PodClique, unless it has listed
// that kind since. One per wire; fed by witness.ts.
import { shardOf } from '#actors/shards/shard.ts';
import type { ActorKey } from '#machines/contract/address.ts';
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { numberAt, textAt, uidOf } from '../fields.ts';
import { namespace } from '../users/workload.ts';
import { epochOf, holderOf, lifeOf, treeOf } from './ownerships.ts';
import { leaseCollection } from './owning.ts';
import { placeOf } from './place.ts';
import { controllerOf, isLive, type Shown } from './shown.ts';
import type { Tally } from './tally.ts';

interface TakeOver {
  readonly version: number;
  /** UIDs of the live pods of the cluster. */
  readonly pods: ReadonlySet<string>;
  /** Of its PodCliques, by UID. */
  readonly generations: ReadonlyMap<string, number>;
}

type Listed = 'pods' | 'podcliques';
const cliques = 'grove.io/podcliques';

interface Parts {
  readonly life: number;
  readonly shards: number;
  readonly store: Store;
  /** What the process was shown, on each of its wires. */
  readonly shown: () => readonly Shown[];
  readonly tally: Tally;
  readonly violate: (what: string) => void;
}

export class TakeOvers {
  readonly #parts: Parts;
  /** The first in each epoch, by shard and epoch. */
  readonly #takeOvers = new Map<string, TakeOver>();
  /** The version of the store when it last asked for all of them. */
  readonly #askedAt: Record<Listed, number> = { pods: 0, podcliques: 0 };

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.store.collection(leaseCollection).onChange((change) => this.#take(change));
  }

  /** It is handed to the wire. */
  judge({ method, path, body }: KubeRequest): void {
    const place = placeOf(path);
    const { collection, plural, name, subresource } = place;
    const { store } = this.#parts;
    if (plural !== 'pods' && plural !== 'podcliques') return;
    if (method === 'GET' && name === '') this.#askedAt[plural] = store.version;
    const live = store.collection(collection).get(place.namespace, name);
    if (plural === 'pods' && method === 'POST') {
      const what = `creates pod ${textAt(body, 'metadata', 'name')}`;
      this.#judge(treeOf(place, body), controllerOf(body), what);
    } else if (plural === 'pods' && method === 'DELETE' && live !== undefined) {
      this.#judge(treeOf(place, live), controllerOf(live), `deletes pod ${name}`);
    } else if (plural === 'podcliques' && subresource === 'status' && live !== undefined) {
      const uid = textAt(body, 'metadata', 'uid');
      this.#judge(treeOf(place, live), uid, `tells the status of ${name}`);
    }
  }

  #take({ type, object }: Change): void {
    const { life, store } = this.#parts;
    if (type === 'DELETED' || lifeOf(holderOf(object)) !== life) return;
    const key = `${textAt(object, 'metadata', 'name')} ${epochOf(object)}`;
    if (this.#takeOvers.has(key)) return;
    const pods = new Set(store.collection('/pods').list().filter(isLive).map(uidOf));
    const generations = new Map(
      store
        .collection(cliques)
        .list()
        .map((clique) => [uidOf(clique), generationOf(clique)]),
    );
    this.#takeOvers.set(key, { version: store.version, pods, generations });
  }

  #judge(tree: ActorKey, clique: string, what: string): void {
    const { life, shards, tally, violate } = this.#parts;
    const shard = shardOf(tree, shards);
    const takeOver = this.#newest(`coppice-shard-${shard}`);
    if (takeOver === undefined) return;
    tally.judged('plan after a take-over');
    const say = (kind: string, lack: string): void =>
      violate(
        `controller ${life} took shard ${shard} over, has not listed ${kind} since, and ${what} ` +
          `without knowing ${lack}`,
      );
    const names = this.#unseenPods(takeOver, clique);
    if (names.length > 0) say('pods', names.join(', '));
    if (this.#isOutOfDate(takeOver, clique)) say('PodCliques', 'its spec');
  }

  #unseenPods({ version, pods }: TakeOver, clique: string): readonly string[] {
    if (this.#askedAt.pods >= version) return [];
    return this.#livePods(clique)
      .filter((each) => pods.has(uidOf(each)) && !this.#isKnown(uidOf(each)))
      .map((each) => textAt(each, 'metadata', 'name'));
  }

  #isOutOfDate({ version, generations }: TakeOver, clique: string): boolean {
    if (this.#askedAt.podcliques >= version) return false;
    const looks = this.#parts.shown().flatMap((shown) => shown.looks(clique));
    const known = looks.map((look) => generationOf(look));
    return known.length > 0 && Math.max(...known) < (generations.get(clique) ?? 0);
  }

  /** The one that it knows of, however it takes the lease; undefined where that is not sure. */
  #newest(lease: string): TakeOver | undefined {
    const looks = this.#parts
      .shown()
      .flatMap((shown) => shown.looksAt(leaseCollection, namespace, lease));
    const [epoch, ...others] = new Set(looks.map(epochOf));
    return others.length > 0 ? undefined : this.#takeOvers.get(`${lease} ${epoch}`);
  }

  #livePods(clique: string) {
    const pods = this.#parts.store.collection('/pods').list(namespace);
    return pods.filter((pod) => controllerOf(pod) === clique && isLive(pod));
  }

  #isKnown(uid: string): boolean {
    return this.#parts
      .shown()
      .some((shown) => shown.knowsEndOf(uid) || shown.looks(uid).length > 0);
  }
}

const generationOf = (object: unknown): number => numberAt(object, 'metadata', 'generation');
