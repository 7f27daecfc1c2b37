// The benchmark's own eye on every persisted version of the cliques and domains of a measurement,
// over a connection of its own: when tables were complete and ready, and whether an index was ever
// shared, out of range or moved. What daemons and centre say of themselves plays no part.
import { at, list } from '#machines/kubernetes/json.ts';
import { machineMs } from '../observer/claims.ts';
import {
  type CliqueKey,
  cliqueName,
  cliquesIn,
  domainsIn,
  isComplete,
  isInRange,
  isUnique,
  nameOf,
  type Row,
  rowsOf,
} from './clique.ts';
import { follow, type Followed } from './follow.ts';
import type { Wire } from './wire.ts';

/** Of one clique; a moment that did not come is left out. */
export interface CliqueSeen {
  versions: number;
  /** In how many of them two rows had the same index, or one had none of the range. */
  shared: number;
  outOfRange: number;
  /** Rows whose index became another one, and those that were Ready by then. */
  moved: number;
  movedLive: number;
  uniqueMs?: number;
  /** Versions until its table was complete. */
  joinVersions?: number;
  readyMs?: number;
}

interface Known {
  readonly size: number;
  readonly seen: CliqueSeen;
  rows: ReadonlyMap<string, Row>;
}

const noneSeen = (): CliqueSeen => ({
  versions: 0,
  shared: 0,
  outOfRange: 0,
  moved: 0,
  movedLive: 0,
});

export class Watcher {
  readonly #cliques = new Map<string, Known>();
  readonly #domains: ReadonlyMap<string, number>;
  readonly #domainsReady = new Map<string, number>();
  readonly #now: () => number;
  readonly #followed: Followed[] = [];
  readonly #done = Promise.withResolvers<void>();

  /** `domains`: by name, how many nodes each is to list. */
  constructor(
    keys: readonly CliqueKey[],
    domains: ReadonlyMap<string, number>,
    now: () => number = machineMs,
  ) {
    for (const key of keys) {
      const known = { size: key.size, seen: noneSeen(), rows: new Map<string, Row>() };
      this.#cliques.set(cliqueName(key), known);
    }
    this.#domains = domains;
    this.#now = now;
  }

  /** Resolves when it misses nothing from then on. */
  async open(wire: Wire, namespace: string): Promise<void> {
    this.#followed.push(
      follow(wire, cliquesIn(namespace), {}, (type, body) => {
        if (type !== 'DELETED') this.clique(body);
      }),
      follow(wire, domainsIn(namespace), {}, (_type, body) => this.domain(body)),
    );
    await Promise.all(this.#followed.map(({ listed }) => listed));
  }

  /** All cliques and domains are ready. */
  get done(): Promise<void> {
    return this.#done.promise;
  }

  /** By name of the clique. */
  get seen(): ReadonlyMap<string, CliqueSeen> {
    return new Map([...this.#cliques].map(([name, { seen }]) => [name, seen]));
  }

  /** When the last domain listed all its nodes and was Ready; undefined: not all are. */
  get domainsMs(): number | undefined {
    const times = [...this.#domainsReady.values()];
    return times.length < this.#domains.size ? undefined : Math.max(...times);
  }

  /** After a second list a version may have been missed. */
  get isGapless(): boolean {
    return this.#followed.every(({ lists }) => lists() === 1);
  }

  close(): void {
    for (const one of this.#followed) one.close();
  }

  clique(body: unknown): void {
    const known = this.#cliques.get(nameOf(body));
    if (known === undefined) return;
    const { seen, size } = known;
    const rows = rowsOf(body);
    seen.versions++;
    if (!isUnique(rows)) seen.shared++;
    if (!rows.every(isInRange)) seen.outOfRange++;
    for (const row of rows) {
      const before = known.rows.get(row.nodeName);
      if (before === undefined || before.index === row.index) continue;
      seen.moved++;
      if (before.status === 'Ready') seen.movedLive++;
    }
    known.rows = new Map(rows.map((row) => [row.nodeName, row]));
    if (!isComplete(rows, size)) return;
    seen.uniqueMs ??= this.#now();
    seen.joinVersions ??= seen.versions;
    if (rows.every(({ status }) => status === 'Ready')) seen.readyMs ??= this.#now();
    this.#judge();
  }

  domain(body: unknown): void {
    const name = nameOf(body);
    const size = this.#domains.get(name);
    const nodes = list(at(body, 'status', 'nodes'));
    if (nodes.length !== size || at(body, 'status', 'status') !== 'Ready') return;
    if (!this.#domainsReady.has(name)) this.#domainsReady.set(name, this.#now());
    this.#judge();
  }

  #judge(): void {
    if (this.domainsMs === undefined) return;
    const all = [...this.#cliques.values()];
    if (all.every(({ seen }) => seen.readyMs !== undefined)) this.#done.resolve();
  }
}
