// Which shards have writes in flight, and what was written last of each kind: a shard is handed
// over when its last write was answered, and its next owner waits until it has seen that write.
// Fed by runner.ts.
import type { Kind } from '#machines/kinds.ts';
import { isNewer } from '#machines/kubernetes/versions.ts';
import { entryOf } from '../maps.ts';
import type { Observation, Versions } from '../ports.ts';

interface Traffic {
  inFlight: number;
  /** How often the shard was given up: it may come back under the same epoch. */
  losses: number;
  readonly written: Map<Kind, string>;
  readonly waiting: (() => void)[];
}

export class InFlightByShard {
  readonly #shards = new Map<number, Traffic>();

  /** Says whether the shard was given up since. */
  sent(shard: number): () => boolean {
    const traffic = this.#of(shard);
    const { losses } = traffic;
    traffic.inFlight++;
    return () => traffic.losses !== losses;
  }

  /** A reply held this object. */
  wrote(shard: number, { kind, object }: Extract<Observation, { type: 'seen' }>): void {
    const { written } = this.#of(shard);
    const { resourceVersion = '' } = object.metadata;
    if (isNewer(resourceVersion, written.get(kind) ?? '0')) written.set(kind, resourceVersion);
  }

  landed(shard: number): void {
    const traffic = this.#of(shard);
    traffic.inFlight--;
    if (traffic.inFlight > 0) return;
    for (const resolve of traffic.waiting.splice(0)) resolve();
  }

  /** The shard is given up: resolves when no write of it is in flight, and forgets what was
   *  written. */
  async quiet(shard: number): Promise<Versions> {
    const traffic = this.#of(shard);
    traffic.losses++;
    if (traffic.inFlight > 0) {
      await new Promise<void>((resolve) => traffic.waiting.push(resolve));
    }
    const written = Object.fromEntries(traffic.written);
    traffic.written.clear();
    return written;
  }

  #of(shard: number): Traffic {
    const fresh = (): Traffic => ({ inFlight: 0, losses: 0, written: new Map(), waiting: [] });
    return entryOf(this.#shards, shard, fresh);
  }
}
