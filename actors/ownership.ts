// Which trees run in this process: those of the shards that it has, once its cache has caught up
// with what their owner before wrote. Asked by the intake for every object; system.ts tells it of
// every change of the leases.
import type { ActorKey } from '#machines/vocabulary.ts';
import type { Clock, ShardLease, Versions } from './ports.ts';
import { shardOf } from './shard.ts';

/** How often, and how long at most, a gained shard waits for the watches to catch up. */
const lookMs = 10;
const patienceMs = 5_000;

interface Parts {
  readonly lease: ShardLease;
  readonly clock: Clock;
  /** All watches have brought what these versions say, and it was taken in. */
  readonly hasSeen: (versions: Versions) => boolean;
}

export class Ownership {
  readonly #parts: Parts;
  /** Shards that wait for the cache, and how to end that. */
  readonly #waiting = new Map<number, () => void>();

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

  /** Calls `begin` when the cache knows what the owner before wrote, or after a while anyway: every
   *  write has a precondition, so an old cache costs an attempt and no more. */
  gained(shard: number, written: Versions, begin: () => void): void {
    this.lost(shard);
    const { clock, hasSeen } = this.#parts;
    const until = clock.now() + patienceMs;
    const look = (): void => {
      if (!hasSeen(written) && clock.now() < until) {
        this.#waiting.set(shard, clock.at(clock.now() + lookMs, look));
        return;
      }
      this.#waiting.delete(shard);
      begin();
    };
    look();
  }

  lost(shard: number): void {
    this.#waiting.get(shard)?.();
    this.#waiting.delete(shard);
  }

  stop(): void {
    for (const cancel of this.#waiting.values()) cancel();
    this.#waiting.clear();
  }
}
