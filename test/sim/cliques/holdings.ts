// Which pods hold which index by a write of a process, and what becomes of it when their rows are
// gone: nobody else gets it while the pod is there, and a node that comes back has it again (spec
// compute-domain ). Part of oracle.ts.
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { uidOf } from '../fields.ts';
import type { Tally } from '../oracles/tally.ts';
import { collections, holdersOf, ipOf, nameOf, type Row, rowsOf, versionOf } from './objects.ts';

interface HoldingsOptions {
  readonly store: Store;
  readonly tally: Tally;
  readonly violate: (what: string) => void;
}

interface Held {
  readonly node: string;
  readonly index: number;
  /** Who wrote it, and how often that process had lost shards by then. */
  readonly memory: string;
}

/** A write of a process. */
export interface Gifts {
  readonly life: number;
  readonly name: string;
  /** New in this version. */
  readonly added: readonly Row[];
  /** With a row in this version. */
  readonly nodes: ReadonlySet<string>;
  /** As `dueOf` said before it. */
  readonly due: ReadonlyMap<string, number>;
  readonly isRepair: boolean;
}

export class Holdings {
  readonly #options: HoldingsOptions;
  /** By name of the clique, then by UID of the pod. */
  readonly #held = new Map<string, Map<string, Held>>();
  /** Of writes whose answers have not reached their process, by it, name and version. */
  readonly #unheard = new Map<string, readonly (readonly [pod: string, held: Held])[]>();
  /** By name of the clique: the last node that had an index, and the last index of a node.
   *  Of nodes that share one, none has it. */
  readonly #nodeAt = new Map<string, Map<number, string>>();
  readonly #indexOf = new Map<string, Map<string, number>>();
  readonly #losses = new Map<number, number>();

  constructor(options: HoldingsOptions) {
    this.#options = options;
  }

  /** The process has lost shards, and what the actors there remembered. */
  lost(life: number): void {
    this.#losses.set(life, (this.#losses.get(life) ?? 0) + 1);
  }

  /** By node: the index of its last row, where no other node has had that since. */
  dueOf(name: string): ReadonlyMap<string, number> {
    const nodeAt = this.#nodeAt.get(name);
    const all = [...(this.#indexOf.get(name) ?? [])];
    return new Map(all.filter(([node, index]) => nodeAt?.get(index) === node));
  }

  /** A version, whoever wrote it. */
  seen(name: string, rows: readonly Row[]): void {
    const [nodeAt, indexOf] = [inMap(this.#nodeAt, name), inMap(this.#indexOf, name)];
    for (const { nodeName, index } of rows) {
      const isShared = rows.some((row) => row.index === index && row.nodeName !== nodeName);
      nodeAt.set(index, isShared ? '' : nodeName);
      indexOf.set(nodeName, index);
    }
  }

  judge(gifts: Gifts): void {
    const { store, tally } = this.#options;
    const there = new Set(store.collection(collections.pods).list().map(uidOf));
    for (const [pod, held] of this.#held.get(gifts.name) ?? []) {
      if (!there.has(pod)) continue;
      for (const row of gifts.added) {
        const isOwn = row.nodeName === held.node;
        if (!isOwn && gifts.nodes.has(held.node)) continue;
        const oracle = isOwn ? 'index of who returns' : 'index given away';
        if (gifts.isRepair) tally.abstained(oracle, 'somebody has changed indices by hand');
        else if (held.memory !== this.#memoryOf(gifts.life)) {
          tally.abstained(oracle, 'another process wrote the row that is gone');
        } else if (gifts.due.get(held.node) !== held.index) {
          tally.abstained(oracle, 'its daemon or another one has written another row since');
        } else {
          tally.judged(oracle);
          if (isOwn === (held.index === row.index)) continue;
          this.#options.violate(
            `controller ${gifts.life} gives ${row.nodeName} the index ${row.index} in ` +
              `${gifts.name}, and pod ${pod} on ${held.node} has ${held.index}`,
          );
        }
      }
    }
  }

  /** A process has written the rows of the clique. */
  wrote(life: number, clique: Stored): void {
    const memory = this.#memoryOf(life);
    const all = rowsOf(clique).flatMap(({ nodeName: node, index, ipAddress }) =>
      holdersOf(this.#options.store, clique, node)
        .filter((pod) => ipOf(pod) === ipAddress)
        .map((pod) => [uidOf(pod), { node, index, memory }] as const),
    );
    this.#unheard.set(`${life} ${nameOf(clique)} ${versionOf(clique)}`, all);
  }

  /** An answer reaches the process. What it never heard it cannot remember. */
  hears(life: number, object: unknown): void {
    const write = `${life} ${nameOf(object)} ${versionOf(object)}`;
    const held = inMap(this.#held, nameOf(object));
    for (const [pod, what] of this.#unheard.get(write) ?? []) held.set(pod, what);
    this.#unheard.delete(write);
  }

  #memoryOf(life: number): string {
    return `${life} ${this.#losses.get(life) ?? 0}`;
  }
}

function inMap<K, V>(maps: Map<string, Map<K, V>>, name: string): Map<K, V> {
  const map = maps.get(name) ?? new Map<K, V>();
  maps.set(name, map);
  return map;
}
