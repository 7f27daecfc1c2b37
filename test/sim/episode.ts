// One piece of work on a quiet cluster with at most one crash of the controller: before or after
// its n-th write. For crash-each.test.ts, which goes through all of them.
import { comeToRest } from './ending.ts';
import { complaintsAbout } from './expected.ts';
import { fieldsAt, listAt } from './dig.ts';
import { maskedState } from './masked.ts';
import { calm } from './rates.ts';
import { namespace, setObject } from './workload.ts';
import { World } from './world.ts';

export interface Crash {
  /** Of the writes that belong to the work, from 1. */
  readonly write: number;
  readonly when: 'crashBefore' | 'crashAfter';
}

export interface Outcome {
  readonly violations: readonly string[];
  /** Writes of the controller until it was done, refused ones too. */
  readonly writes: number;
  /** Objects that came and went, e.g. `pods ADDED`. */
  readonly changes: Readonly<Record<string, number>>;
  /** Patches and status writes of the controller that were done. */
  readonly updates: number;
  /** What there is in the end, without what differs from run to run. */
  readonly end: readonly string[];
}

const sets = `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliquesets`;
const shape = {
  replicas: 1,
  startup: 'InOrder',
  cliques: [
    { name: 'front', replicas: 2, minAvailable: 1 },
    { name: 'work', replicas: 1, minAvailable: 1 },
  ],
} as const;

const scaleTo = (replicas: number) => (world: World) =>
  world.ask({
    method: 'PATCH',
    path: `${sets}/demo/scale`,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas } },
  });

const create = (replicas: number) => (world: World) =>
  world.ask({ method: 'POST', path: sets, body: setObject('demo', { ...shape, replicas }) });

const scaleClique = (replicas: number) => (world: World) =>
  world.ask({
    method: 'PATCH',
    path: `/apis/grove.io/v1alpha1/namespaces/${namespace}/podcliques/demo-0-front/scale`,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas } },
  });

/** Another image, and a label less, for one of the two cliques. */
const editTemplate = async (world: World): Promise<void> => {
  const [front, work] = listAt(
    setObject('demo', { ...shape, replicas: 1 }),
    'spec',
    'template',
    'cliques',
  );
  const podSpec = {
    ...fieldsAt(front, 'spec', 'podSpec'),
    containers: [{ name: 'main', image: 'registry.example/none:2' }],
  };
  const edited = { ...fieldsAt(front), labels: {}, spec: { ...fieldsAt(front, 'spec'), podSpec } };
  await world.ask({
    method: 'PATCH',
    path: `${sets}/demo`,
    contentType: 'application/merge-patch+json',
    body: { spec: { template: { cliques: [edited, work] } } },
  });
};

const remove = (world: World) => world.ask({ method: 'DELETE', path: `${sets}/demo` });

/** What is there before, and the work itself. */
export const works = {
  create: { before: undefined, work: create(1) },
  'scale out': { before: create(1), work: scaleTo(2) },
  'scale in': { before: create(2), work: scaleTo(1) },
  'scale in of a clique': { before: create(1), work: scaleClique(1) },
  'scale out of a clique': { before: create(1), work: scaleClique(3) },
  'edit of the template': { before: create(1), work: editTemplate },
  delete: { before: create(1), work: remove },
} as const;

export type WorkName = keyof typeof works;

const counted = [
  '/pods',
  '/services',
  '/serviceaccounts',
  '/secrets',
  'grove.io/podcliques',
  'grove.io/podcliquesets',
  'scheduler.grove.io/podgangs',
  'rbac.authorization.k8s.io/roles',
  'rbac.authorization.k8s.io/rolebindings',
] as const;

export async function episode(name: WorkName, crash?: Crash): Promise<Outcome> {
  const { before, work } = works[name];
  let isAtWork = false;
  let writes = 0;
  const world = new World({
    seed: 1,
    rates: calm,
    delivery: 'direct',
    onWrite: () => {
      if (!isAtWork) return undefined;
      return ++writes === crash?.write ? crash.when : undefined;
    },
  });
  await world.start();
  world.lives.start();
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
  if (crash !== undefined && world.lives.crashes !== 1) {
    world.oracles.violate(`the controller died ${world.lives.crashes} times, not once`);
  }
  const updates = updatesOf(world) - updatesBefore;
  const end = maskedState(world.cluster.store, counted);
  await world.stop();
  return { violations: world.oracles.violations, writes, changes, updates, end };
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
