// Two owners at once by force: somebody gives the shard of one process to another one by hand, or
// deletes its lease, most often while the first is deaf to leases and goes on. Started by
// trouble.ts on some days.
import type { Random } from '#actors/ports.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { textAt } from '../fields.ts';
import { epochOf, holderOf, lifeOf } from '../oracles/ownerships.ts';
import { leaseCollection } from '../oracles/owning.ts';
import { leases } from '../users/addresses.ts';
import { between, namespace, pick } from '../users/workload.ts';
import type { World } from '../world/world.ts';

const deafChance = 0.75;
/** A silent watch is taken for half open after 10 s. */
const mostDeafMs = 12_000;
const mostAwayMs = 6_000;

/** A shard that another process should have goes back to it at once, so somebody insists. */
const insistMs = 900;
/** What happens to sets meanwhile is what two owners could quarrel about. */
const mostEdits = 6;

/** `next`: as a process does it. `kept`: and so again and again. `same`: the epoch stays. `former`:
 *  it goes back. `thereAndBack`: after a while the lease is as it was before. `deleted`: and taken
 *  by whoever finds it so. */
const ways = ['next', 'kept', 'same', 'former', 'thereAndBack', 'deleted'] as const;

export class Force {
  readonly #world: World;
  readonly #random: Random;
  readonly #edit: () => void;

  constructor(world: World, random: Random, edit: () => void) {
    this.#world = world;
    this.#random = random;
    this.#edit = edit;
  }

  async act(): Promise<void> {
    const { clock, trace } = this.#world;
    const lease = pick(this.#random, this.#held());
    if (lease === undefined) return;
    const holder = holderOf(lease);
    const other = pick(
      this.#random,
      this.#members().filter((member) => lifeOf(member) !== lifeOf(holder)),
    );
    const way = pick(this.#random, ways) ?? 'next';
    const isDeaf = this.#random.next() < deafChance;
    const deafMs = between(this.#random, 1_000, mostDeafMs);
    const awayMs = between(this.#random, 0, mostAwayMs);
    if (other === undefined) return;
    const ears = isDeaf ? `is deaf for ${deafMs} ms` : 'hears it';
    trace.note(clock.now(), `${nameOf(lease)} of ${holder} by force (${way}), which ${ears}`);
    const { ownerships } = this.#world;
    ownerships.dividedUntil = Math.max(ownerships.dividedUntil, clock.now() + mostDeafMs);
    if (isDeaf) this.#deafen(lifeOf(holder), deafMs);
    for (let edits = between(this.#random, 0, mostEdits); edits > 0; edits--) {
      this.#later(between(this.#random, 0, deafMs), this.#edit);
    }
    if (way === 'deleted') return this.#delete(lease);
    const epoch = epochOf(lease);
    const epochs = { same: epoch, former: Math.max(0, epoch - 1) };
    const next = way === 'same' || way === 'former' ? epochs[way] : epoch + 1;
    await this.#give(lease, other, next);
    if (way === 'thereAndBack') this.#later(awayMs, () => void this.#give(lease, holder, epoch));
    if (way !== 'kept') return;
    for (let ms = insistMs; ms < deafMs; ms += insistMs) {
      this.#later(ms, () => void this.#give(lease, other, next + ms));
    }
  }

  /** Unless all is well by then. */
  #later(ms: number, run: () => void): void {
    const { clock } = this.#world;
    clock.at(clock.now() + ms, () => {
      if (!this.#world.isHealed) run();
    });
  }

  #deafen(life: number, ms: number): void {
    const { clock, processes } = this.#world;
    const victim = [...processes.alive].find((process) => process.life === life);
    victim?.killWatches('silence', 'leases');
    clock.at(clock.now() + ms, () => victim?.killWatches(undefined, 'leases'));
  }

  #give(lease: Stored, holderIdentity: string, leaseTransitions: number): Promise<void> {
    return this.#write(lease, 'PATCH', { spec: { holderIdentity, leaseTransitions } });
  }

  #delete(lease: Stored): Promise<void> {
    return this.#write(lease, 'DELETE');
  }

  async #write(lease: Stored, method: 'PATCH' | 'DELETE', body?: unknown): Promise<void> {
    const path = `${leases}/${nameOf(lease)}`;
    const contentType = 'application/merge-patch+json';
    const shard = Number(nameOf(lease).replace('coppice-shard-', ''));
    await this.#world.ownerships.force(shard, () =>
      this.#world.ask({ method, path, contentType, ...(body === undefined ? {} : { body }) }),
    );
  }

  /** Leases of shards that somebody has. */
  #held(): readonly Stored[] {
    return this.#all('coppice-shard-').filter((lease) => holderOf(lease) !== '');
  }

  #members(): readonly string[] {
    return this.#all('coppice-member-').map(holderOf);
  }

  #all(prefix: string): readonly Stored[] {
    const { store } = this.#world.cluster;
    const all = store.collection(leaseCollection).list(namespace);
    return all.filter((lease) => nameOf(lease).startsWith(prefix));
  }
}

const nameOf = (lease: Stored): string => textAt(lease, 'metadata', 'name');
