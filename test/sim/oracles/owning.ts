// Judges whether a process still writes for a shard when a watch of leases or a reply has shown it
// that the shard is another's, however that came about: nothing on the API server knows an epoch.
// Nor may it send what it decided in an earlier epoch of its own. Told by the witness of
// what is decided, and asked at the last moment at which the process can keep a write back.
import { shardOf } from '#actors/shards/shard.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { textAt, uidOf } from '../fields.ts';
import { namespace } from '../users/workload.ts';
import { epochOf, holderOf, lifeOf, treeOf } from './ownerships.ts';
import { placeOf } from './place.ts';
import type { Look, Shown } from './shown.ts';
import type { Tally } from './tally.ts';

export const leaseCollection = 'coordination.k8s.io/leases';

interface Parts {
  readonly life: number;
  readonly shards: number;
  readonly store: Store;
  /** What the process was shown, on each of its wires. */
  readonly shown: () => readonly Shown[];
  readonly tally: Tally;
  readonly violate: (what: string) => void;
}

export class Owning {
  readonly #parts: Parts;
  /** The epochs of each shard in which a write may have been decided, by its body. */
  readonly #decided = new WeakMap<object, readonly ReadonlySet<number>[]>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A write is handed to the wire, where it may wait. */
  decided({ method, body }: KubeRequest): void {
    if (method === 'GET' || typeof body !== 'object' || body === null) return;
    const shards = Array.from({ length: this.#parts.shards }, (_, shard) => this.#epochs(shard));
    this.#decided.set(body, shards);
  }

  judge({ method, path, body }: KubeRequest): void {
    const { life, shards, store, tally, violate } = this.#parts;
    const place = placeOf(path);
    if (method === 'GET' || ['events', 'leases'].includes(place.plural)) return;
    const live = store.collection(place.collection).get(place.namespace, place.name);
    const object = method === 'POST' ? body : live;
    // What is gone tells no more of which tree it was, and the write changes nothing; neither where
    // somebody else's object has the name now.
    if (object === undefined || !isMeant(object, body)) return;
    const shard = shardOf(treeOf(place, object), shards);
    tally.judged('write under a lease');
    const looks = this.#looks(`coppice-shard-${shard}`);
    if (looks.some((look) => this.#isOwn(look))) {
      return this.#judgeEpoch(shard, body, `${method} ${path}`);
    }
    const holder = looks.length === 0 ? 'nobody' : holderOf(looks.at(-1)) || 'nobody';
    violate(`controller ${life} was shown that ${holder} has shard ${shard}: ${method} ${path}`);
  }

  /** It lost the shard meanwhile and has it again: others may have done what this says. */
  #judgeEpoch(shard: number, body: unknown, what: string): void {
    const { life, violate } = this.#parts;
    const before = this.#decided.get(body as object)?.[shard];
    const now = this.#epochs(shard);
    if (before === undefined || !before.isDisjointFrom(now)) return;
    const epochs = `${[...before].join(' or ') || 'none'}, in ${[...now].join(' or ')}`;
    violate(
      `controller ${life} sends what it decided in epoch ${epochs} of shard ${shard}: ${what}`,
    );
  }

  /** Of its own reigns, as it may take the lease. */
  #epochs(shard: number): ReadonlySet<number> {
    const own = this.#looks(`coppice-shard-${shard}`).filter((look) => this.#isHolder(look));
    return new Set(own.map(epochOf));
  }

  #isHolder(lease: Look): boolean {
    return lifeOf(holderOf(lease)) === this.#parts.life;
  }

  #isOwn(lease: Look): boolean {
    if (!this.#isHolder(lease)) return false;
    const member = this.#looks(`coppice-member-${holderOf(lease)}`);
    return member.some((look) => look !== undefined);
  }

  #looks(name: string): readonly Look[] {
    return this.#parts.shown().flatMap((shown) => shown.looksAt(leaseCollection, namespace, name));
  }
}

/** False where the write names another UID. */
function isMeant(object: unknown, body: unknown): boolean {
  const uid = textAt(body, 'preconditions', 'uid') || textAt(body, 'metadata', 'uid');
  return uid === '' || uid === uidOf(object);
}
