// Processes that share shards on a virtual clock, each with a clock of its own. Looks on at every
// instant whether two of them think that they hold the same shard.
import type { Random } from '#actors/ports.ts';
import type { KeeperPorts } from '#actors/shards/lease/keeper.ts';
import { LeaseKeeper } from '#actors/shards/lease/keeper.ts';
import type { Terms } from '#actors/shards/lease/terms.ts';
import { seeded, VirtualClock } from '#test/support/virtual-clock.ts';
import { OwnClock } from './own-clock.ts';
import { LeaseServer } from './server.ts';

export const terms: Terms = { shards: 4, durationMs: 15_000, renewMs: 10_000, retryMs: 2_000 };

export interface Node {
  readonly name: string;
  readonly clock: OwnClock;
  readonly keeper: LeaseKeeper;
  /** Shards whose actors run here. */
  readonly running: Set<number>;
  /** How long it takes to finish the writes of a shard. */
  drainMs: number;
}

export class World {
  readonly clock: VirtualClock;
  readonly server: LeaseServer;
  readonly nodes: Node[] = [];
  /** The highest epoch with which each shard was held. */
  readonly #epochs = new Map<number, { epoch: number; node: Node }>();

  constructor(clock: VirtualClock, random: Random) {
    this.clock = clock;
    this.server = new LeaseServer(clock, random);
  }

  start(
    name: string,
    rate = 1,
    {
      log = () => undefined,
      ...ports
    }: Partial<Pick<KeeperPorts, 'log' | 'address' | 'lost'>> = {},
  ): Node {
    const clock = new OwnClock(this.clock, rate);
    const store = this.server.store(clock);
    let lives = 0;
    const newMember = (): string => `${name}-${++lives}`;
    const keeper = new LeaseKeeper(terms, { store, clock, log, newMember, ...ports });
    const node: Node = { name, clock, keeper, running: new Set(), drainMs: 5 };
    keeper.onChange((shard, held) => {
      if (held) {
        node.running.add(shard);
        return;
      }
      node.running.delete(shard);
      return new Promise((resolve) => {
        clock.at(clock.now() + node.drainMs, () => resolve({}));
      });
    });
    this.nodes.push(node);
    keeper.start();
    return node;
  }

  kill(node: Node): void {
    node.clock.isDead = true;
  }

  get living(): Node[] {
    return this.nodes.filter(({ clock }) => !clock.isDead);
  }

  /** Those that would write for the shard if they ran right now. A dead process writes nothing. */
  holders(shard: number): Node[] {
    return this.living.filter(({ keeper }) => keeper.holds(shard));
  }

  /** Throws when a shard has two holders, or one of an epoch that is over. */
  check(): void {
    for (let shard = 0; shard < terms.shards; shard++) {
      const holders = this.holders(shard);
      if (holders.length > 1) {
        const who = holders.map(({ name, keeper }) => `${name} in epoch ${keeper.epoch(shard)}`);
        throw new Error(`shard ${shard} is held by ${who.join(' and ')}`);
      }
      const [holder] = holders;
      if (holder === undefined) continue;
      const epoch = holder.keeper.epoch(shard);
      const last = this.#epochs.get(shard);
      if (
        last !== undefined &&
        (epoch < last.epoch || (epoch === last.epoch && holder !== last.node))
      ) {
        throw new Error(`shard ${shard}: ${holder.name} in epoch ${epoch} after ${last.epoch}`);
      }
      this.#epochs.set(shard, { epoch, node: holder });
    }
  }

  /** Every shard has one holder, and each living process its part. */
  isShared(): boolean {
    const living = this.living.length;
    const most = Math.ceil(terms.shards / living);
    return (
      Array.from({ length: terms.shards }, (_, shard) => this.holders(shard)).every(
        (holders) => holders.length === 1,
      ) && this.living.every(({ running }) => running.size <= most)
    );
  }

  /** Lets time pass and looks every few milliseconds. */
  async pass(ms: number, stepMs = 50): Promise<void> {
    const end = this.clock.now() + ms;
    while (this.clock.now() < end) {
      await this.clock.advance(Math.min(stepMs, end - this.clock.now()));
      this.check();
    }
  }

  /** Milliseconds until the claim holds; throws after the limit. */
  async until(claim: () => boolean, limitMs: number, stepMs = 50): Promise<number> {
    const start = this.clock.now();
    while (!claim()) {
      if (this.clock.now() - start > limitMs) throw new Error(`not within ${limitMs} ms`);
      await this.pass(stepMs, stepMs);
    }
    return this.clock.now() - start;
  }
}

/** So many processes, each with its part. */
export async function shared(count: number): Promise<World> {
  const place = new World(new VirtualClock(), seeded(1));
  for (let n = 1; n <= count; n++) place.start(`p${n}`);
  const ownsSome = () => place.nodes.every(({ running }) => running.size > 0);
  await place.until(() => place.isShared() && ownsSome(), 5_000);
  return place;
}
