// Judges whether a process looks before it plans a tree that it takes over: it makes no pod for a
// PodClique, and tells no status of it, of which pods were there when the shard became its that it
// was never shown, unless it has listed pods since (decision 0012). One per wire; fed by
// witness.ts.
import { shardOf } from '#actors/shard.ts';
import type { Change } from '#src/devcluster/api/collection.ts';
import type { Store } from '#src/devcluster/api/store.ts';
import type { KubeRequest } from '#src/kube/transport.ts';
import { isLive } from './decisions.ts';
import { textAt, uidOf } from './dig.ts';
import { leaseCollection } from './owning.ts';
import { placeOf } from './place.ts';
import { epochOf, holderOf, lifeOf, treeOf } from './reigns.ts';
import { controllerOf, type Shown } from './shown.ts';
import type { Tally } from './tally.ts';
import { namespace } from './workload.ts';

interface TakeOver {
  readonly version: number;
  /** UIDs of the live pods of the cluster. */
  readonly pods: ReadonlySet<string>;
}

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
  /** The version of the store when it last asked for the pods. */
  #askedAt = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    parts.store.collection(leaseCollection).onChange((change) => this.#take(change));
  }

  /** It is handed to the wire. */
  judge({ method, path, body }: KubeRequest): void {
    const place = placeOf(path);
    const { plural, name, subresource } = place;
    const { store, shards } = this.#parts;
    if (plural === 'pods' && method === 'GET' && name === '') this.#askedAt = store.version;
    if (plural === 'pods' && method === 'POST') {
      const what = `creates pod ${textAt(body, 'metadata', 'name')}`;
      this.#judge(shardOf(treeOf(place, body), shards), controllerOf(body), what);
    }
    const clique = store.collection(place.collection).get(place.namespace, name);
    if (plural === 'podcliques' && subresource === 'status' && clique !== undefined) {
      const uid = textAt(body, 'metadata', 'uid');
      this.#judge(shardOf(treeOf(place, clique), shards), uid, `tells the status of ${name}`);
    }
  }

  #take({ type, object }: Change): void {
    const { life, store } = this.#parts;
    if (type === 'DELETED' || lifeOf(holderOf(object)) !== life) return;
    const key = `${textAt(object, 'metadata', 'name')} ${epochOf(object)}`;
    if (this.#takeOvers.has(key)) return;
    const pods = new Set(store.collection('/pods').list().filter(isLive).map(uidOf));
    this.#takeOvers.set(key, { version: store.version, pods });
  }

  #judge(shard: number, clique: string, what: string): void {
    const { life, tally, violate } = this.#parts;
    const takeOver = this.#newest(`coppice-shard-${shard}`);
    if (takeOver === undefined) return;
    tally.judged('plan after a take-over');
    if (this.#askedAt >= takeOver.version) return;
    const unseen = this.#livePods(clique).filter(
      (each) => takeOver.pods.has(uidOf(each)) && !this.#isKnown(uidOf(each)),
    );
    if (unseen.length === 0) return;
    const names = unseen.map((each) => textAt(each, 'metadata', 'name')).join(', ');
    violate(
      `controller ${life} took shard ${shard} over, has not listed pods since, and ${what} ` +
        `without knowing ${names}`,
    );
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
