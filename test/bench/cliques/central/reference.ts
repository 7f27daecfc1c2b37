// The benchmark's own central writer, the floor for the product's: nothing but the writes that a
// clique with one writer needs, without recovery, refusals or removals. One clique has one write in
// flight; `each` serves one ask by a write, `batch` whatever has come meanwhile.
import { at, list, object, text } from '#machines/kubernetes/json.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { lowestFree } from '../choice.ts';
import {
  type CliqueKey,
  cliqueName,
  cliqueObject,
  cliquesIn,
  nameOf,
  type Row,
  rowsOf,
  uidOf,
  withRows,
} from '../clique.ts';
import type { Wire } from '../wire.ts';
import { addressOf, type Cache, cliqueOf, domainOf, nodeOf } from './cache.ts';

/** After a write that was refused. */
const pauseMs = 20;

interface Ask {
  readonly pod: unknown;
  readonly row: Row | undefined;
}

export class ReferenceWriter {
  readonly #wire: Wire;
  readonly #cache: Cache;
  readonly #namespace: string;
  readonly #perWrite: number;
  /** Cliques with a write in flight. */
  readonly #busy = new Set<string>();

  constructor(wire: Wire, cache: Cache, namespace: string, mode: 'each' | 'batch') {
    this.#wire = wire;
    this.#cache = cache;
    this.#namespace = namespace;
    this.#perWrite = mode === 'each' ? 1 : Infinity;
  }

  /** A pod or a clique has changed. */
  changed(body: unknown): void {
    const [domainUid, cliqueId] = [domainOf(body), cliqueOf(body)];
    if (domainUid === '' || cliqueId === '') return;
    const key = { namespace: this.#namespace, domainUid, cliqueId, size: 0 };
    // After the events that came in the same turn, so that a burst is one batch.
    setImmediate(() => void this.#serve(key));
  }

  async #serve(key: CliqueKey): Promise<void> {
    const name = cliqueName(key);
    if (this.#busy.has(name)) return;
    this.#busy.add(name);
    try {
      for (;;) {
        const asks = this.#asks(key).slice(0, this.#perWrite);
        if (asks.length === 0) return;
        await this.#write(key, asks);
      }
    } finally {
      this.#busy.delete(name);
    }
  }

  /** Those that a write would change something for, the oldest first. */
  #asks({ domainUid, cliqueId, ...key }: CliqueKey): readonly Ask[] {
    const clique = this.#cache.cliques.get(cliqueName({ domainUid, cliqueId, ...key }));
    const rows = new Map(rowsOf(clique).map((row) => [row.nodeName, row]));
    return this.#cache.pods.all
      .filter((pod) => domainOf(pod) === domainUid && cliqueOf(pod) === cliqueId)
      .filter((pod) => addressOf(pod) !== '')
      .map((pod) => ({ pod, row: rows.get(nodeOf(pod)) }))
      .filter(({ pod, row }) => row?.ipAddress !== addressOf(pod) || row.status !== statusOf(pod))
      .toSorted((one, other) => (orderOf(one.pod) < orderOf(other.pod) ? -1 : 1));
  }

  async #write(key: CliqueKey, asks: readonly Ask[]): Promise<void> {
    const known = this.#cache.cliques.get(cliqueName(key));
    const rows = placed(key, rowsOf(known), asks);
    const owners = asks.map(({ pod }) => ({ pod: nameOf(pod), uid: uidOf(pod) }));
    const path = cliquesIn(key.namespace);
    const request: KubeRequest =
      known === undefined
        ? { method: 'POST', path, body: cliqueObject(key, owners, rows) }
        : {
            method: 'PUT',
            path: `${path}/${cliqueName(key)}`,
            body: withRows(object(known), rows, owners),
          };
    const reply = await this.#wire.request(request).catch(() => undefined);
    if (reply !== undefined && reply.status < 300) return this.#cache.cliques.take(reply.body);
    // A decision is never sent again: it is taken anew on what is there now.
    await new Promise((again) => setTimeout(again, pauseMs));
    const live = { method: 'GET', path: `${path}/${cliqueName(key)}` } as const;
    const found = await this.#wire.request(live).catch(() => undefined);
    if (found?.status === 200) this.#cache.cliques.take(found.body);
  }
}

const orderOf = (pod: unknown): string =>
  `${text(at(pod, 'metadata', 'creationTimestamp'))} ${nodeOf(pod)}`;

const statusOf = (pod: unknown): Row['status'] =>
  list(at(pod, 'status', 'conditions')).some(
    (condition) => at(condition, 'type') === 'Ready' && at(condition, 'status') === 'True',
  )
    ? 'Ready'
    : 'NotReady';

/** The rows with what is asked for; who finds no index is left out. */
function placed({ cliqueId }: CliqueKey, before: readonly Row[], asks: readonly Ask[]) {
  const rows = [...before];
  for (const { pod, row } of asks) {
    const index = row?.index ?? lowestFree(rows);
    if (index === undefined) continue;
    const next: Row = {
      nodeName: nodeOf(pod),
      ipAddress: addressOf(pod),
      cliqueID: cliqueId,
      index,
      status: statusOf(pod),
    };
    const place = rows.findIndex(({ nodeName }) => nodeName === next.nodeName);
    if (place < 0) rows.push(next);
    else rows[place] = next;
  }
  return rows;
}
