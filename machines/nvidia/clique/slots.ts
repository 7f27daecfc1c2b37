// The indices of a clique while one decision is made: which are used, which are kept for nodes that
// may come back, and which is the next one. Used by decide.ts alone.
import type { Indices, Row } from '../objects/clique.ts';
import { currentOf } from '../objects/daemon-pod.ts';
import type { ObservedDaemon } from '../objects/daemon-pod.ts';

export interface Repair {
  readonly node: string;
  readonly was: number;
  /** Undefined: there was no index left. */
  readonly index: number | undefined;
}

interface Parts {
  readonly maxNodes: number;
  readonly rows: readonly Row[];
  readonly members: ReadonlyMap<string, readonly ObservedDaemon[]>;
}

/** How far a reservation binds. */
interface Claim {
  /** A daemon is on the node: nobody else gets the index. */
  readonly isHeld: boolean;
  readonly isWanted: boolean;
}

export class Slots {
  readonly #maxNodes: number;
  readonly #used = new Map<number, string>();
  readonly #byNode = new Map<string, number>();
  /** By node, oldest first. */
  readonly #reserved = new Map<string, { readonly index: number; readonly isHeld: boolean }>();
  readonly #homeless: readonly Row[];

  constructor({ maxNodes, rows, members }: Parts) {
    this.#maxNodes = maxNodes;
    const homeless: Row[] = [];
    for (const row of byRight(rows, members)) {
      if (this.#isIndex(row.index) && !this.#used.has(row.index))
        this.#use(row.nodeName, row.index);
      else homeless.push(row);
    }
    this.#homeless = homeless;
  }

  has(node: string): boolean {
    return this.#byNode.has(node);
  }

  indexOf(node: string): number | undefined {
    return this.#byNode.get(node);
  }

  /** Takes what is valid, unused and still wanted; the first of an index counts. */
  reserve(indices: Iterable<readonly [string, number]>, claimOf: (node: string) => Claim): void {
    const taken = new Set<number>();
    for (const [node, index] of indices) {
      const { isHeld, isWanted } = claimOf(node);
      const isFree = this.#isIndex(index) && !this.#used.has(index) && !taken.has(index);
      if (!isFree || !isWanted || this.has(node) || this.#reserved.has(node)) continue;
      this.#reserved.set(node, { index, isHeld });
      taken.add(index);
    }
  }

  /** Gives another index to rows that share one or have one that is out of range. */
  repair(): readonly Repair[] {
    return this.#homeless.map(({ nodeName, index: was }) => ({
      node: nodeName,
      was,
      index: this.take(nodeName),
    }));
  }

  /** The index that is kept for the node, else the lowest free one, else the oldest that is kept
   *  for a node without a daemon; undefined: all are in use. */
  take(node: string): number | undefined {
    const index = this.#reserved.get(node)?.index ?? this.#lowest() ?? this.#release();
    if (index !== undefined) this.#use(node, index);
    return index;
  }

  /** What stays reserved beside these rows. */
  reservedBeside(rows: readonly Row[]): Indices {
    const used = new Set(rows.map(({ index }) => index));
    return new Map(
      [...this.#reserved]
        .filter(([, { index }]) => !used.has(index))
        .map(([node, { index }]) => [node, index]),
    );
  }

  #use(node: string, index: number): void {
    this.#reserved.delete(node);
    this.#used.set(index, node);
    this.#byNode.set(node, index);
  }

  #lowest(): number | undefined {
    const kept = new Set([...this.#reserved.values()].map(({ index }) => index));
    for (let index = 0; index < this.#maxNodes; index++) {
      if (!this.#used.has(index) && !kept.has(index)) return index;
    }
    return undefined;
  }

  #release(): number | undefined {
    for (const [node, { index, isHeld }] of this.#reserved) {
      if (isHeld) continue;
      this.#reserved.delete(node);
      return index;
    }
    return undefined;
  }

  #isIndex(index: number): boolean {
    return Number.isInteger(index) && index >= 0 && index < this.#maxNodes;
  }
}

/** Of rows that share an index the first keeps it: whose pod is ready, then the oldest, then by
 *  name of the node. */
function byRight(rows: readonly Row[], members: Parts['members']): readonly Row[] {
  const rightOf = ({ nodeName }: Row): readonly [number, number] => {
    const pod = currentOf(members.get(nodeName) ?? []);
    return [pod?.isReady === true ? 0 : 1, pod?.createdAt ?? Number.MAX_SAFE_INTEGER];
  };
  return rows.toSorted((one, other) => {
    const [oneReady, oneAge] = rightOf(one);
    const [otherReady, otherAge] = rightOf(other);
    return oneReady - otherReady || oneAge - otherAge || (one.nodeName < other.nodeName ? -1 : 1);
  });
}
