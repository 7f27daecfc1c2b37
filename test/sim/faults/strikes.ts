// What strikes the processes of a bad day, each at random times with its mean pause: crashes,
// stalls, jumps of clocks, partitions, comings and goings. Ends when the world is healed.
import type { Random } from '#actors/ports.ts';
import { between, pick } from '../users/workload.ts';
import type { ControllerProcess } from '../world/process.ts';
import type { World } from '../world/world.ts';
import type { Rates } from './rates.ts';
import { deaths } from './watch-path.ts';

/** What of a world is struck. */
export type Stage = Pick<
  World,
  'clock' | 'trace' | 'processes' | 'cluster' | 'controllerSet' | 'random' | 'onHealing'
>;

/** `loseLease`: somebody deletes one. */
export function strikeOften(
  world: Stage,
  rates: Rates,
  random: Random,
  loseLease: () => void,
): void {
  const often = (meanS: number, happen: (victim: ControllerProcess | undefined) => void): void =>
    repeat(world, random, meanS, () => happen(pick(random, [...world.processes.alive])));
  const strike = new Strike(world, random);
  const deadWatches = world.random('dead watches');
  repeat(world, deadWatches, rates.watchDeadEveryS, () =>
    new Strike(world, deadWatches).killWatches(pick(deadWatches, [...world.processes.alive])),
  );
  often(rates.crashEveryS, (victim) => victim?.crash());
  often(rates.compactEveryS, () => world.cluster.store.compact(world.cluster.store.version));
  often(rates.clockJumpEveryS, (victim) => strike.jump(victim));
  often(rates.apiOutageEveryS, (victim) => strike.part(victim));
  often(rates.busOutageEveryS, (victim) => strike.silence(victim));
  if (!world.controllerSet.leases) return;
  often(rates.stallEveryS, (victim) => strike.stall(victim));
  often(rates.leaveEveryS, (victim) => victim !== undefined && world.processes.leave(victim));
  often(rates.leaseLossEveryS, () => loseLease());
}

/** Until the world is healed; a mean of zero: never. */
export function repeat(world: Stage, random: Random, meanS: number, happen: () => void): void {
  if (meanS === 0) return;
  const { clock } = world;
  let cancel = (): void => {};
  const next = (): void => {
    const wait = -Math.log(1 - random.next()) * meanS * 1_000;
    cancel = clock.at(clock.now() + Math.ceil(wait), () => {
      happen();
      next();
    });
  };
  next();
  world.onHealing(() => cancel());
}

const mostOutageMs = 20_000;
const mostStallMs = 60_000;
const mostDeadMs = 90_000;

/** What may happen to one process, and how it ends. */
class Strike {
  readonly #world: Stage;
  readonly #random: Random;

  constructor(world: Stage, random: Random) {
    this.#world = world;
    this.#random = random;
  }

  jump(victim: ControllerProcess | undefined): void {
    const ms = between(this.#random, -3_600_000, 3_600_000);
    victim?.clock.jump(ms);
    this.#note(`the clock of controller ${victim?.life} jumps by ${ms} ms`);
  }

  part(victim: ControllerProcess | undefined): void {
    const which = pick(this.#random, ['both', 'work', 'leases'] as const) ?? 'both';
    victim?.part(true, which);
    this.#note(`controller ${victim?.life} cannot reach the API server (${which})`);
    this.#forAWhile(mostOutageMs, () => victim?.part(false, which));
  }

  killWatches(victim: ControllerProcess | undefined): void {
    const death = pick(this.#random, deaths);
    victim?.killWatches(death);
    this.#note(`watches of controller ${victim?.life} meet ${death}`);
    this.#forAWhile(mostDeadMs, () => victim?.killWatches(undefined));
  }

  silence(victim: ControllerProcess | undefined): void {
    victim?.bus.setConnected(false);
    this.#note(`controller ${victim?.life} cannot reach the bus`);
    this.#forAWhile(mostOutageMs, () => victim?.bus.setConnected(true));
  }

  stall(victim: ControllerProcess | undefined): void {
    if (victim === undefined || victim.clock.isStalled) return;
    victim.clock.stall();
    this.#note(`controller ${victim.life} stands still`);
    this.#forAWhile(mostStallMs, () => {
      if (victim.clock.isStalled) this.#note(`controller ${victim.life} goes on`);
      victim.clock.resume();
    });
  }

  #forAWhile(mostMs: number, end: () => void): void {
    const { clock } = this.#world;
    clock.at(clock.now() + between(this.#random, 100, mostMs), end);
  }

  #note(text: string): void {
    this.#world.trace.note(this.#world.clock.now(), text);
  }
}
