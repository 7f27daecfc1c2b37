// What a pool may have more than anybody sees: members whose creation was answered by an error, of
// which nobody knows whether it was done or still will be. They have a place until it is known, so
// others are created beside them and not instead (spec agent-sandbox P5, R34). Judged at the wire
// of each process. Part of oracle.ts.
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { uidOf } from '../fields.ts';
import { placeOf } from '../oracles/place.ts';
import { collections, controllerOf, membersOf, nameOf, replicasOf } from './objects.ts';
import type { Judged } from './judged.ts';

export class Numbers {
  readonly #options: Judged;
  /** By process and UID of the pool: names of those that are not known to be there. */
  readonly #unknown = new Map<string, Set<string>>();
  /** By process: bodies of the creates that are on the wire. */
  readonly #sent = new Map<number, Set<unknown>>();

  constructor(options: Judged) {
    this.#options = options;
    options.store.collection(collections.sandboxes).onChange(({ type, object }) => {
      if (type !== 'ADDED') return;
      for (const names of this.#unknown.values()) names.delete(nameOf(object));
    });
  }

  /** It goes on the wire. */
  sends(life: number, request: KubeRequest): void {
    const pool = poolOf(request);
    if (pool === undefined) return;
    this.#sent.set(life, (this.#sent.get(life) ?? new Set()).add(request.body));
    const { store, tally, violate, past, latelyMs } = this.#options;
    const name = nameOf(request.body);
    const others = [...this.#of(life, pool.uid)].filter((one) => one !== name);
    if (others.length === 0) return;
    const wanted = past('pools')
      .lately(pool.name, latelyMs)
      .filter((one) => one !== undefined && uidOf(one) === pool.uid)
      .map(replicasOf);
    if (wanted.length === 0) return;
    const members = membersOf(store, { metadata: { uid: pool.uid } });
    // It is there, and not known to be: to ask for it again makes no more of them.
    if (members.some((one) => nameOf(one) === name)) return;
    tally.judged('unknown member');
    const there = members.length;
    if (there + others.length < Math.max(...wanted)) return;
    violate(
      `controller ${life} creates ${name} for pool ${pool.name}, which wants ` +
        `${Math.max(...wanted)}, has ${there} and may have ${others.join(' and ')} (P5)`,
    );
  }

  /** The answer reaches it; undefined: that there is none. What the process kept back was not done
   *  for sure, and says nothing of what it sent before. */
  hears(life: number, request: KubeRequest, response: KubeResponse | undefined): void {
    const pool = poolOf(request);
    if (pool === undefined || this.#sent.get(life)?.delete(request.body) !== true) return;
    const name = nameOf(request.body);
    const isThere = membersOf(this.#options.store, { metadata: { uid: pool.uid } }).some(
      (one) => nameOf(one) === name,
    );
    const isUnknown = !isThere && (response === undefined || response.status >= 500);
    const names = this.#of(life, pool.uid);
    if (isUnknown) names.add(name);
    else names.delete(name);
  }

  /** It has given up shards, and with them what it knew. */
  lost(life: number): void {
    this.#sent.delete(life);
    for (const key of this.#unknown.keys()) {
      if (key.startsWith(`${life} `)) this.#unknown.delete(key);
    }
  }

  #of(life: number, pool: string): Set<string> {
    const key = `${life} ${pool}`;
    const names = this.#unknown.get(key) ?? new Set<string>();
    this.#unknown.set(key, names);
    return names;
  }
}

/** Of whom the request creates a member; undefined: it does another thing. */
function poolOf({ method, path, body }: KubeRequest) {
  if (method !== 'POST' || placeOf(path).plural !== 'sandboxes') return undefined;
  const owner = controllerOf(body);
  return owner?.kind === 'SandboxWarmPool' ? owner : undefined;
}
