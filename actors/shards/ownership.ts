// Which trees run in this process: those of the shards that it has, once its cache has caught up
// with what their owner before did. Asked by the intake for every object; system.ts tells it of
// every change of the leases.
import type { ActorKey } from '#machines/contract/address.ts';
import { decidingKinds, type Kind } from '#machines/kinds.ts';
import type { Clock, ShardLease, Versions } from '../ports.ts';
import { shardOf } from './shard.ts';

/** How often a gained shard looks whether the cache has caught up. */
const lookMs = 10;
/** How long at most it waits for the watches to bring what the owner before wrote last. */
const patienceMs = 5_000;

interface Parts {
  readonly lease: ShardLease;
  readonly clock: Clock;
  /** All watches have brought what these versions say, and it was taken in. */
  readonly hasSeen: (versions: Versions) => boolean;
  /** Reads the kinds anew; the answer tells whether all that this brought was taken in. Undefined
   *  where watches are never late. */
  readonly refresh: ((kinds: readonly Kind[]) => Promise<() => boolean>) | undefined;
}

interface Wait {
  cancel(): void;
}

export class Ownership {
  readonly #parts: Parts;
  /** Shards that wait for the cache, and how to end that. */
  readonly #waiting = new Map<number, Wait>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  shardOf(root: ActorKey): number {
    return shardOf(root, this.#parts.lease.shards);
  }

  /** Trees of other shards are in the cache, and no more. */
  isHere(root: ActorKey): boolean {
    const { lease } = this.#parts;
    const shard = this.shardOf(root);
    return (lease.runs?.(shard) ?? lease.holds(shard)) && !this.#waiting.has(shard);
  }

  /** Those that run here, also where they still wait for the cache. */
  shards(): ReadonlySet<number> {
    const { lease } = this.#parts;
    const all = Array.from({ length: lease.shards }, (_, shard) => shard);
    return new Set(all.filter((shard) => lease.runs?.(shard) ?? lease.holds(shard)));
  }

  /** Calls `begin` when what decides was read anew, and the cache knows what the owner before
   *  wrote, or after a while anyway: an old cache of the rest costs an attempt and no more. */
  gained(shard: number, written: Versions, begin: () => void): void {
    this.lost(shard);
    const { clock, hasSeen, refresh } = this.#parts;
    const wait: Wait = { cancel: () => {} };
    this.#waiting.set(shard, wait);
    // The time of day may jump back by an hour meanwhile.
    const until = clock.steady() + patienceMs;
    const look = (hasRead: () => boolean): void => {
      const isPatient = clock.steady() < until;
      if (!hasRead() || (isPatient && !hasSeen(written))) {
        wait.cancel = clock.at(clock.now() + lookMs, () => look(hasRead));
        return;
      }
      this.#waiting.delete(shard);
      begin();
    };
    if (refresh === undefined) return look(() => true);
    void refresh(decidingKinds()).then((hasRead) => {
      if (this.#waiting.get(shard) === wait) look(hasRead);
    });
  }

  lost(shard: number): void {
    this.#waiting.get(shard)?.cancel();
    this.#waiting.delete(shard);
  }

  stop(): void {
    for (const wait of this.#waiting.values()) wait.cancel();
    this.#waiting.clear();
  }
}
