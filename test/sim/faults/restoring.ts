// The API server is restored from a backup of some time of the bad day, while the controllers live
// on: they must end within a minute of its return, or know nothing that is wrong now. Called by
// run.ts when all is healed.
import type { Backup } from '#src/devcluster/api/store/store.ts';
import { between } from '../users/workload.ts';
import type { World } from '../world/world.ts';

/** By a clock that is right. */
const endedMs = 60_000;
const mostAwayMs = 8_000;
const stepMs = 250;
/** Of three processes and the cluster, in that time; about 1,500 are usual. */
const mostRequests = 6_000;

/** Takes a backup at some second of the day. */
export function backUp(world: World, badSeconds: number): () => Backup {
  const { clock, cluster } = world;
  let backup = cluster.store.backup();
  const atMs = between(world.random('backup'), 0, badSeconds * 1_000);
  clock.at(clock.now() + atMs, () => {
    backup = cluster.store.backup();
    world.trace.note(clock.now(), `a backup of version ${backup.version}`);
  });
  return () => backup;
}

export async function restore(world: World, backup: Backup): Promise<void> {
  const { clock, cluster, processes, restoring, trace, controllerSet } = world;
  const before = [...processes.alive];
  const lost = cluster.store.version - backup.version;
  restoring.isAway = true;
  restoring.isAstray = true;
  await clock.advance(between(world.random('restore'), 0, mostAwayMs));
  const restored = cluster.restore(backup);
  await clock.advance(1_000);
  await restored;
  restoring.isAway = false;
  restoring.isRestored = true;
  const { requests } = trace;
  trace.note(clock.now(), `restored from a backup: ${lost} versions are lost`);
  const limit = clock.now() + endedMs / Math.min(...controllerSet.clockRates);
  while (clock.now() < limit && before.some((process) => processes.alive.has(process))) {
    await clock.advance(stepMs);
  }
  restoring.isAstray = false;
  const many = trace.requests - requests;
  if (many > mostRequests) world.oracles.violate(`${many} requests after the restore: a hot loop`);
  const left = before.filter((process) => processes.alive.has(process)).length;
  trace.note(clock.now(), `${left} of ${before.length} processes have not ended`);
}
