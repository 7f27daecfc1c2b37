// Which daemon pods there were at any version of the store: by them the lists of a process are
// judged, which are older than what it does for them. Part of oracle.ts.
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import { uidOf } from '../fields.ts';
import { cliqueOf, collections, domainOf, ipOf, nodeOf } from './objects.ts';

/** What a pod was from one version to the next. */
interface Span {
  readonly from: number;
  readonly to: number;
  readonly node: string;
  readonly domain: string;
  /** Undefined: it had not said yet. */
  readonly clique: string | undefined;
}

export class Lifetimes {
  readonly #open = new Map<string, Span>();
  readonly #closed: Span[] = [];
  /** By UID. */
  readonly #ips = new Map<string, Set<string>>();

  constructor(store: Store) {
    store.collection(collections.pods).onChange((change) => this.#take(change));
  }

  /** A pod that keeps the row of the node was there. */
  hadHolder(at: number, node: string, domain: string, clique: string): boolean {
    return [...this.#open.values(), ...this.#closed].some(
      (span) =>
        span.node === node &&
        span.domain === domain &&
        [undefined, clique].includes(span.clique) &&
        span.from <= at &&
        at < span.to,
    );
  }

  /** The pod has the IP, or had it when the watch of a process showed it last. */
  hadIp(uid: string, ip: string): boolean {
    return this.#ips.get(uid)?.has(ip) === true;
  }

  #take({ type, version, object }: Change): void {
    if (domainOf(object) === '') return;
    const uid = uidOf(object);
    if (ipOf(object) !== '') {
      this.#ips.set(uid, (this.#ips.get(uid) ?? new Set()).add(ipOf(object)));
    }
    const before = this.#open.get(uid);
    const now = { node: nodeOf(object), domain: domainOf(object), clique: cliqueOf(object) };
    const isSame = before?.node === now.node && before.clique === now.clique;
    if (type !== 'DELETED' && isSame) return;
    if (before !== undefined) this.#closed.push({ ...before, to: version });
    if (type === 'DELETED') this.#open.delete(uid);
    else this.#open.set(uid, { ...now, from: version, to: Infinity });
  }
}
