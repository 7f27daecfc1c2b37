// One walk from its seed: a generated set is created, edited and scaled twenty times, with or
// without faults; then everything is healed, the controller must come to the end that expected.ts
// says, be quiet, and leave what direct application of the last spec leaves. Called by main.ts and
// the tests.
import { end, stop } from '../ending.ts';
import { calm } from '../faults/rates.ts';
import { circumstances, type Report, reportOf } from '../run.ts';
import { nobody } from '../users/others.ts';
import { trouble } from '../users/trouble.ts';
import { User } from '../users/user.ts';
import { alone } from '../world/controller-set.ts';
import { World } from '../world/world.ts';
import { unlikeDirect } from './direct.ts';
import { drawSet, Walker } from './walker.ts';

export interface WalkOptions {
  /** Without any fault. */
  readonly isCalm?: boolean;
  /** Ends the bad day, and the walk, after so many virtual seconds: a prefix of the run. */
  readonly badSeconds?: number;
  readonly keepTrace?: boolean;
}

const steps = 20;

export async function walk(seed: number, options: WalkOptions = {}): Promise<Report> {
  const { isCalm = false, keepTrace = false, badSeconds: limitS = Infinity } = options;
  const drawn = circumstances(seed, isCalm ? { rates: calm, controllerSet: alone } : {});
  const rates = { ...drawn.rates, userEditEveryS: 0 };
  const world = new World({ ...drawn, rates, seed, keepTrace, hasAdmission: true });
  const startedAt = world.clock.now();
  await world.start();
  const random = world.random('pauses');
  const set = drawSet(seed);
  const walker = new Walker(world, set);
  const user = new User(world, { hasGroups: true, ...nobody });
  world.processes.startAll();
  await walker.create(set);
  trouble(world, user, rates, nobody);
  const beganAt = world.clock.now();
  const elapsedS = (): number => (world.clock.now() - beganAt) / 1_000;
  // Some walk slowly enough to see each edit done, others have several under way.
  const mostPauseMs = 500 + random.next() * 12_000;
  for (let step = 0; step < steps; step++) {
    await world.clock.advance(Math.ceil(random.next() * mostPauseMs));
    if (elapsedS() > limitS) break;
    await walker.step();
  }
  const badSeconds = Math.ceil(elapsedS());
  world.heal();
  await walker.finish();
  await user.makePeace();
  const convergedMs = await end(world, user);
  if (convergedMs !== undefined) {
    const unlike = await unlikeDirect(world.cluster.store);
    for (const sentence of unlike) world.oracles.violate(sentence);
  }
  await stop(world);
  return { seed, badSeconds, convergedMs, ...reportOf(world, startedAt) };
}
