// The things of a bad day that come by themselves, each at random times with its mean pause: edits,
// what others do, and what strikes a process (faults/strikes.ts). Started by run.ts; ends when the
// world is healed.
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { BaseGangs } from '../expected/base-gangs.ts';
import { Force } from '../faults/force.ts';
import type { Rates } from '../faults/rates.ts';
import { repeat, strikeOften } from '../faults/strikes.ts';
import type { World } from '../world/world.ts';
import { edits } from './edits.ts';
import type { Others } from './others.ts';
import { scaleIn } from './scale-ins.ts';
import type { User } from './user.ts';
import { pick } from './workload.ts';

export function trouble(
  world: World,
  user: User,
  rates: Rates,
  { topology, domains, sharing, kai, losses, templates }: Others,
): void {
  const random = world.random('troubles');
  repeat(world, random, rates.userEditEveryS, () => {
    // Drawn as for what strikes a process, so that the days stay as they were.
    pick(random, [...world.processes.alive]);
    void user.act(edits);
  });
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
  if (losses !== undefined) {
    repeat(world, world.random('losing'), nodeLossEveryS, () => void losses.act());
  }
  if (templates !== undefined) {
    repeat(world, world.random('updates'), templateEditEveryS, () => void templates.act());
  }
  strikeOften(world, rates, random, () => void user.deleteLease());
  if (!world.controllerSet.leases) return;
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
const nodeLossEveryS = 8;
const templateEditEveryS = 12;
