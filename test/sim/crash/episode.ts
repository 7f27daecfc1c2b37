// One piece of work on a quiet cluster with at most one crash of the controller: before or after
// its n-th write. For crash-each.ts, which goes through all of them.
import { comeToRest } from '../ending.ts';
import { domainKind } from '../expected/domains.ts';
import { complaintsAbout } from '../expected/expected.ts';
import { calm } from '../faults/rates.ts';
import { normalizedState } from '../world/normalized.ts';
import { World } from '../world/world.ts';

export interface Crash {
  /** Of the writes that belong to the work, from 1. */
  readonly write: number;
  readonly when: 'crashBefore' | 'crashAfter';
}

export interface Outcome {
  /** What is unlike the end that the specification asks for is among them. */
  readonly violations: readonly string[];
  /** Writes of the controller until it was done, refused ones too. */
  readonly writes: number;
  readonly crashes: number;
  /** Objects that came and went, e.g. `pods ADDED`. */
  readonly changes: Readonly<Record<string, number>>;
  /** Patches and status writes of the controller that were done. */
  readonly updates: number;
  /** What there is in the end, without what differs from run to run. */
  readonly end: readonly string[];
}

export interface Work {
  /** The cluster knows ComputeDomains, and the controller makes them. */
  readonly hasDomains?: boolean;
  /** What is there before. */
  readonly before?: (world: World) => Promise<unknown>;
  readonly work: (world: World) => Promise<unknown>;
  /** By hand: objects that must come and go by it, each once, wherever the controller dies. */
  readonly added?: Readonly<Record<string, number>>;
  readonly deleted?: Readonly<Record<string, number>>;
  /** By hand: the most patches and statuses. A PodClique may have four, everything else two, and a
   *  crash has as much looked at again as the set has objects. */
  readonly mostUpdates: number;
  /** By hand: sentences about what is not as it must be then. */
  readonly complain?: (world: World) => readonly string[];
}

const counted = [
  '/pods',
  '/services',
  '/serviceaccounts',
  '/secrets',
  'grove.io/podcliques',
  'grove.io/podcliquesets',
  'grove.io/podcliquescalinggroups',
  'scheduler.grove.io/podgangs',
  'autoscaling/horizontalpodautoscalers',
  'resource.k8s.io/resourceclaims',
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/rolebindings',
  domainKind,
] as const;

export async function episode(given: Work, crash?: Crash): Promise<Outcome> {
  const { before, work, complain, hasDomains = false } = given;
  let isAtWork = false;
  let writes = 0;
  const world = new World({
    seed: 1,
    rates: calm,
    delivery: 'direct',
    hasDomains,
    onWrite: () => {
      if (!isAtWork) return undefined;
      return ++writes === crash?.write ? crash.when : undefined;
    },
  });
  await world.start();
  world.processes.start();
  if (before !== undefined) {
    await before(world);
    await comeToRest(world);
    for (const complaint of complaintsAbout(world.cluster.store)) world.oracles.violate(complaint);
  }
  const changes = countChanges(world);
  const updatesBefore = updatesOf(world);
  isAtWork = true;
  await work(world);
  await comeToRest(world);
  const complaints = complaintsAbout(world.cluster.store);
  for (const complaint of [...complaints, ...(complain?.(world) ?? [])]) {
    world.oracles.violate(complaint);
  }
  world.census.judgeEnd();
  const updates = updatesOf(world) - updatesBefore;
  const end = normalizedState(world.cluster.store, counted);
  await world.stop();
  const { crashes } = world.processes;
  return { violations: world.oracles.violations, writes, crashes, changes, updates, end };
}

function countChanges(world: World): Record<string, number> {
  const changes: Record<string, number> = {};
  for (const resource of counted) {
    world.cluster.store.collection(resource).onChange(({ type }) => {
      if (type === 'MODIFIED') return;
      const key = `${resource} ${type}`;
      changes[key] = (changes[key] ?? 0) + 1;
    });
  }
  return changes;
}

const updatesOf = (world: World): number =>
  [...world.trace.writes]
    .filter(([key]) => key.startsWith('patch ') || key.startsWith('update '))
    .reduce((sum, [, count]) => sum + count, 0);
