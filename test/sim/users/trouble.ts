// The things of a bad day that come by themselves, each at random times with its mean pause: edits,
// crashes, stalls, jumps of clocks, partitions, comings and goings. Started by run.ts; ends when
// the world is healed.
import type { Random } from '#actors/ports.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { BaseGangs } from '../expected/base-gangs.ts';
import { Force } from '../faults/force.ts';
import type { Rates } from '../faults/rates.ts';
import { deaths } from '../faults/watch-path.ts';
import type { ControllerProcess } from '../world/process.ts';
import type { World } from '../world/world.ts';
import { edits } from './edits.ts';
import type { Others } from './others.ts';
import { scaleIn } from './scale-ins.ts';
import type { User } from './user.ts';
import { between, pick } from './workload.ts';

export function trouble(
  world: World,
  user: User,
  rates: Rates,
  { topology, domains, sharing, kai }: Others,
): void {
  const random = world.random('troubles');
  const often = (meanS: number, happen: (victim: ControllerProcess | undefined) => void): void =>
    repeat(world, random, meanS, () => happen(pick(random, [...world.processes.alive])));
  const strike = new Strike(world, random);
  often(rates.userEditEveryS, () => void user.act(edits));
  repeat(world, world.random('disowning'), disownEveryS, () => void user.disown());
  if (rates.userEditEveryS > 0) {
    const scaling = world.random('scale-ins');
    const ask = (request: KubeRequest): Promise<unknown> => world.ask(request);
    repeat(world, scaling, scaleInEveryS, () => void scaleIn(world.cluster.store, scaling, ask));
    const basing = world.random('base gangs');
    const bases = new BaseGangs(world, basing);
    if (bases.isInDanger) repeat(world, basing, baseLossEveryS, () => void bases.act());
  }
  repeat(world, world.random('strangeness'), strangerEveryS, () => void world.strangers.act());
  if (topology !== undefined) {
    repeat(world, world.random('bindings'), bindingEditEveryS, () => void topology.change());
  }
  if (domains !== undefined) {
    repeat(world, world.random('disturbance'), domainEditEveryS, () => void domains.disturb());
  }
  if (sharing !== undefined) {
    repeat(world, world.random('claims'), claimEditEveryS, () => void sharing.change());
  }
  if (kai !== undefined) {
    repeat(world, world.random('podgroups'), podGroupEditEveryS, () => void kai.trouble());
  }
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
  often(rates.leaseLossEveryS, () => void user.deleteLease());
  const forcing = world.random('force');
  const force = new Force(world, forcing, () => {
    if (rates.userEditEveryS > 0) void user.act(edits);
  });
  repeat(world, forcing, rates.forceEveryS, () => void force.act());
}

const disownEveryS = 10;
const scaleInEveryS = 12;
const baseLossEveryS = 8;
const strangerEveryS = 2;
const bindingEditEveryS = 8;
const domainEditEveryS = 6;
const claimEditEveryS = 3;
const podGroupEditEveryS = 4;

/** Until the world is healed; a mean of zero: never. */
function repeat(world: World, random: Random, meanS: number, happen: () => void): void {
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
  readonly #world: World;
  readonly #random: Random;

  constructor(world: World, random: Random) {
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
