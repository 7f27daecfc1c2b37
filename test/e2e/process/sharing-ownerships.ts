// Who wrote when, and who held the shard then: each controller stands behind a proxy of its own
// that notes its requests, and the leases are watched. After the first write of a newer owner none
// of an older one may take effect (oracle O5).
import { shardOf } from '#actors/shards/shard.ts';
import { at, text } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import type { ApiProxy } from '../faults/proxy/api-proxy.ts';
import type { Passed } from '../faults/proxy/traffic.ts';

const leases =
  '/apis/coordination.k8s.io/v1/namespaces/default/leases?watch=true&resourceVersion=0';

/** An owner acts on its own view of a lease, which may be ahead of ours by so much. */
const watchLagMs = 300;

interface Ownership {
  readonly shard: number;
  /** `c1` of `c1-3f2a`. */
  readonly holder: string;
  readonly since: number;
}

interface Written {
  readonly by: string;
  readonly at: number;
  readonly what: string;
}

export class Ownerships {
  readonly #ownerships: Ownership[] = [];
  readonly #proxies = new Map<string, ApiProxy>();
  readonly #close: () => void;

  constructor(client: KubeTransport) {
    this.#close = client.watch(leases, {
      event: ({ object }) => this.#take(object),
      closed: () => {},
    });
  }

  add(name: string, proxy: ApiProxy): void {
    this.#proxies.set(name, proxy);
  }

  /** Holders by shard, as last seen. */
  get holders(): ReadonlyMap<number, string> {
    return new Map(this.#ownerships.map(({ shard, holder }) => [shard, holder]));
  }

  /** Answers of 409 that any controller had, but to the create of a Secret, which asks whether it
   *  is there (decision 0021). */
  get conflicts(): number {
    const isConflict = ({ status, kind }: Passed): boolean => status === 409 && kind !== 'Secret';
    return this.#sum(({ traffic }) => traffic.writes.filter(isConflict).length);
  }

  /** Effective writes to trees of the namespace, by all. */
  get writes(): number {
    return this.#sum((proxy) => proxy.traffic.writes.filter(({ status }) => status < 300).length);
  }

  /** Effective writes of somebody whose shard another one had, and had written to, by then. */
  late(namespace: string): readonly string[] {
    const bySet = Map.groupBy(this.#all(namespace), ({ set }) => set);
    return [...bySet].flatMap(([set, writes]) => {
      const shard = shardOf({ kind: 'podcliqueset', namespace, name: set }, 16);
      const ordered = writes.toSorted((a, b) => a.at - b.at);
      return ordered.flatMap((write, index) => {
        const before = ordered[index - 1];
        if (before === undefined || before.by === write.by) return [];
        if (this.#hasTaken(shard, write)) return [];
        return [`${write.by} ${write.what} of shard ${shard} after ${before.by} wrote`];
      });
    });
  }

  stop(): void {
    this.#close();
  }

  /** The newest reign that the writer can know of is its own. */
  #hasTaken(shard: number, { by, at: when }: Written): boolean {
    const known = this.#ownerships.filter(
      (ownership) => ownership.shard === shard && ownership.since <= when + watchLagMs,
    );
    const isNow = known.at(-1)?.holder === by;
    // Within the lag a hand-over may be on its way; then the one before counts too.
    return isNow || (known.at(-1)?.since ?? 0) > when - watchLagMs;
  }

  #all(namespace: string): (Written & { readonly set: string })[] {
    return [...this.#proxies].flatMap(([by, proxy]) =>
      proxy.traffic.writes.flatMap(({ verb, kind, name, status, at: when, namespace: where }) => {
        const set = /^s\d+/.exec(name)?.[0];
        if (set === undefined || where !== namespace || status < 200 || status >= 300) return [];
        return [{ by, at: when, set, what: `${verb} ${kind} ${name}` }];
      }),
    );
  }

  #sum(count: (proxy: ApiProxy) => number): number {
    return [...this.#proxies.values()].reduce((sum, proxy) => sum + count(proxy), 0);
  }

  #take(lease: unknown): void {
    const shard = /^coppice-shard-(\d+)$/.exec(text(at(lease, 'metadata', 'name')))?.[1];
    if (shard === undefined) return;
    const holder = text(at(lease, 'spec', 'holderIdentity')).split('-')[0] ?? '';
    this.#ownerships.push({ shard: Number(shard), holder, since: performance.now() });
  }
}
