// What NVIDIA's controller does every two seconds: copies the rows of all cliques into the status
// of their domain, and drops rows of nodes without a daemon pod. At work under every strategy;
// under a central writer without the sweep, which is the writer's.
import { at, list, object } from '#machines/kubernetes/json.ts';
import { cliquesIn, domainsIn, nameOf, type Row, rowsOf, uidOf, withRows } from '../clique.ts';
import type { Wire } from '../wire.ts';
import { type Cache, domainOf, nodeOf } from './cache.ts';

export class RollUp {
  readonly #wire: Wire;
  readonly #cache: Cache;
  readonly #namespace: string;
  readonly #sweeps: boolean;
  #timer: NodeJS.Timeout | undefined;
  readonly #busy = new Set<string>();

  constructor(wire: Wire, cache: Cache, namespace: string, sweeps: boolean) {
    this.#wire = wire;
    this.#cache = cache;
    this.#namespace = namespace;
    this.#sweeps = sweeps;
  }

  start(periodMs: number): void {
    this.#timer = setInterval(() => this.#tick(), periodMs);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    for (const domain of this.#cache.domains.all) void this.#once(uidOf(domain), domain);
    if (!this.#sweeps) return;
    const nodes = new Set(this.#cache.pods.all.map(nodeOf));
    for (const clique of this.#cache.cliques.all) void this.#sweep(clique, nodes);
  }

  /** One write of an object at a time; whatever fails is tried at the next tick. */
  async #once(key: string, domain: unknown): Promise<void> {
    if (this.#busy.has(key)) return;
    this.#busy.add(key);
    try {
      await this.#report(domain);
    } catch {
      // The next tick is the retry.
    } finally {
      this.#busy.delete(key);
    }
  }

  async #report(domain: unknown): Promise<void> {
    const rows = this.#cache.cliques.all
      .filter((clique) => domainOf(clique) === uidOf(domain))
      .flatMap(rowsOf);
    if (namesAndRows(rows) === namesAndRows(nodesOf(domain))) return;
    const body = { ...object(domain), status: statusOf(domain, rows) };
    const path = `${domainsIn(this.#namespace)}/${nameOf(domain)}/status`;
    this.#cache.domains.take(await this.#wire.must({ method: 'PUT', path, body }));
  }

  async #sweep(clique: unknown, nodes: ReadonlySet<string>): Promise<void> {
    const rows = rowsOf(clique);
    const kept = rows.filter(({ nodeName }) => nodes.has(nodeName));
    if (kept.length === rows.length) return;
    const path = `${cliquesIn(this.#namespace)}/${nameOf(clique)}`;
    const body = withRows(object(clique), kept, []);
    await this.#wire.request({ method: 'PUT', path, body }).catch(() => undefined);
  }
}

/** Two rows of one node would be refused by the list's key, so the last one counts. */
function statusOf(domain: unknown, rows: readonly Row[]) {
  const nodes = [...new Map(rows.map((row) => [row.nodeName, row])).values()];
  const least = Number(at(domain, 'spec', 'numNodes') ?? 0);
  const isReady = nodes.length >= least && nodes.every(({ status }) => status === 'Ready');
  return {
    status: isReady ? 'Ready' : 'NotReady',
    nodes: nodes.map(({ nodeName, ...row }) => ({ name: nodeName, ...row })),
  };
}

/** A domain's entries are rows under another name. */
const nodesOf = (domain: unknown): readonly Row[] =>
  rowsOf({
    daemons: list(at(domain, 'status', 'nodes')).map((node) => ({
      ...object(node),
      nodeName: at(node, 'name'),
    })),
  });

const namesAndRows = (rows: readonly Row[]): string =>
  rows
    .map(({ nodeName, ipAddress, index, status }) => [nodeName, ipAddress, index, status].join())
    .toSorted()
    .join(';');
