// Nothing is left of what was: when all sets are deleted and gone, each process has as many open
// watches, pending timers and actors as one that has just started. Part of ending.ts.
import { complaintsAbout } from '../expected/expected.ts';
import { sets } from '../users/addresses.ts';
import { namespace } from '../users/workload.ts';
import type { Footprint } from '../world/process.ts';
import type { World } from '../world/world.ts';
import { nameOf } from './complaints.ts';

/** Deletions are slow where the garbage collector has the last word. */
const goneLimitMs = 120_000;
/** Failures in a row are forgotten after this. */
const forgetMs = 200_000;
/** What comes and goes in between (a renewal, a watch that is opened again) does not count. */
const looks = 60;
/** In no step with renewals, or each look finds one under way. */
const lookMs = 1_037;

export async function backToStart(world: World): Promise<void> {
  const { store } = world.cluster;
  for (const set of store.collection('grove.io/podcliquesets').list(namespace)) {
    await world.ask({ method: 'DELETE', path: `${sets}/${nameOf(set)}` });
  }
  const limit = world.clock.now() + goneLimitMs;
  while (complaintsAbout(store).length > 0 && world.clock.now() < limit) {
    await world.clock.advance(lookMs);
  }
  for (const complaint of complaintsAbout(store).slice(0, 5)) {
    world.oracles.violate(`after the deletion of all sets: ${complaint}`);
  }
  await world.clock.advance(forgetMs);
  const after = await footprints(world);
  // Those that have just started know nothing of any set; that others watch more is no leak.
  for (const process of [...world.processes.alive]) world.processes.leave(process);
  await world.clock.advance(forgetMs);
  for (const process of world.processes.alive) process.watchAll();
  await world.clock.advance(forgetMs);
  const before = await footprints(world);
  judge(world, after, before);
}

function judge(world: World, after: readonly Footprint[], before: readonly Footprint[]): void {
  world.tally.judged('back to the start', after.length);
  const most = (of: (print: Footprint) => number): number => Math.max(...before.map(of));
  for (const print of after) {
    const isLarger = (['watches', 'timers', 'actors'] as const).some(
      (field) => print[field] > most((one) => one[field]),
    );
    if (!isLarger) continue;
    world.oracles.violate(
      `after the deletion of all sets a process has ${JSON.stringify(print)}, and one that has ` +
        `just started ${JSON.stringify(before)}`,
    );
  }
}

/** Of each process the least of many looks. */
async function footprints(world: World): Promise<readonly Footprint[]> {
  let least = new Map<unknown, Footprint>();
  for (let look = 0; look < looks; look++) {
    await world.clock.advance(lookMs);
    const now = [...world.processes.alive].map((each) => [each, each.footprint()] as const);
    least = new Map(now.map(([each, print]) => [each, smaller(print, least.get(each) ?? print)]));
  }
  return [...least.values()];
}

const smaller = (a: Footprint, b: Footprint): Footprint => ({
  watches: Math.min(a.watches, b.watches),
  timers: Math.min(a.timers, b.timers),
  actors: Math.min(a.actors, b.actors),
});
