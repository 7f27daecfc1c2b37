// A rolling update on the real control plane, with a controller that is killed while it runs: pod
// by pod, replica by replica, none too many, and it ends. All three levels have a part in it: the
// set, a scaling group of two replicas, PodCliques.
import { expect, test } from 'vitest';
import { at, count, list, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { eventually } from '#test/support/eventually.ts';
import { conditionOf, Onlooker } from '#src/bench/onlooker.ts';
import { amountOf } from '#test/support/optional.mjs';
import { type Mismatch, statusMismatches } from '#test/support/statuses/mismatches.ts';
import { tally } from './audit.ts';
import { indices } from './sets.ts';
import { describeReal, type Stage } from './stage.ts';

const name = 'roll';
const replicas = amountOf('replicas that are updated under kills');
const betweenKillsMs = 10_000;
const limitMs = 240_000;

/** Of a replica, by PodClique: how many pods it has, and how many of them it needs. */
const shape = {
  front: { pods: 2, least: 1 },
  route: { pods: 1, least: 1 },
  'g-0-work': { pods: 2, least: 1 },
  'g-1-work': { pods: 2, least: 1 },
} as const;
const podsOfReplica = Object.values(shape).reduce((sum, { pods }) => sum + pods, 0);
const allPods = replicas * podsOfReplica;

function spec(version: string): JsonObject {
  const clique = (role: string, pods: number): JsonObject => ({
    name: role,
    labels: { version },
    spec: {
      roleName: role,
      replicas: pods,
      minAvailable: 1,
      podSpec: {
        tolerations: [{ operator: 'Exists' }],
        containers: [{ name: 'main', image: 'registry.example/none:1' }],
      },
    },
  });
  return {
    replicas,
    template: {
      cliques: [clique('front', 2), clique('route', 1), clique('work', 2)],
      podCliqueScalingGroups: [{ name: 'g', cliqueNames: ['work'], replicas: 2, minAvailable: 1 }],
    },
  };
}

const set = {
  apiVersion: 'grove.io/v1alpha1',
  kind: 'PodCliqueSet',
  metadata: { name },
  spec: spec('1'),
};

const labelOf = (object: unknown, key: string): string =>
  text(at(object, 'metadata', 'labels', key));
const replicaOf = (pod: unknown): string => labelOf(pod, 'grove.io/podcliqueset-replica-index');
const isReady = (pod: unknown): boolean =>
  at(pod, 'metadata', 'deletionTimestamp') === undefined && conditionOf(pod, 'Ready') === 'True';

/** A replica is available while each standalone PodClique and one replica of the group has what it
 *  needs. */
function isAvailable(index: number, ready: ReadonlyMap<string, number>): boolean {
  const has = (clique: keyof typeof shape): boolean =>
    (ready.get(`${name}-${index}-${clique}`) ?? 0) >= shape[clique].least;
  return has('front') && has('route') && (has('g-0-work') || has('g-1-work'));
}

/** What was seen of the pods of an update. */
class Watcher {
  readonly unlook: () => void;
  /** At once. */
  mostUnavailable = 0;
  /** Replicas in the order in which their first new pod came. */
  readonly order: string[] = [];
  /** UIDs by the place of a pod in its PodClique. */
  readonly #uids = new Map<string, Set<string>>();

  constructor(onlooker: Onlooker, here: string) {
    const pods = (): ReadonlyMap<string, unknown> => onlooker.all('pods', here);
    for (const pod of pods().values()) this.#count(pod);
    this.unlook = onlooker.onSight(({ namespace, resource, object }) => {
      if (namespace !== here || resource !== 'pods') return;
      this.#judge([...pods().values()]);
      this.#count(object);
      const index = replicaOf(object);
      if (labelOf(object, 'version') === '2' && !this.order.includes(index)) this.order.push(index);
    });
  }

  /** Pods that were there in each place of a PodClique, the old one included: how often so many. */
  get podsByPlace(): Readonly<Record<string, number>> {
    const sizes = Map.groupBy(this.#uids.values(), ({ size }) => String(size));
    return Object.fromEntries([...sizes].map(([size, places]) => [size, places.length]));
  }

  #count(pod: unknown): void {
    const clique = labelOf(pod, 'grove.io/podclique');
    const place = `${clique}/${labelOf(pod, 'grove.io/podclique-pod-index')}`;
    const uids = this.#uids.get(place) ?? new Set();
    this.#uids.set(place, uids.add(text(at(pod, 'metadata', 'uid'))));
  }

  #judge(pods: readonly unknown[]): void {
    const ready = new Map<string, number>();
    for (const pod of pods.filter(isReady)) {
      const clique = labelOf(pod, 'grove.io/podclique');
      ready.set(clique, (ready.get(clique) ?? 0) + 1);
    }
    const unavailable = indices(replicas).filter((index) => !isAvailable(index, ready));
    this.mostUnavailable = Math.max(this.mostUnavailable, unavailable.length);
  }
}

const updated = {
  podcliques: 'PodClique',
  podcliquescalinggroups: 'PodCliqueScalingGroup',
} as const;

/** What the objects say wrongly when all is over; empty: nothing. */
async function untruths({ kube }: Stage, here: string): Promise<readonly Mismatch[]> {
  const resources = { ...updated, podcliquesets: 'PodCliqueSet', podgangs: 'PodGang', pods: 'Pod' };
  const all = new Map<string, readonly unknown[]>();
  for (const [resource, kind] of Object.entries(resources)) {
    all.set(kind, await kube.list(here, resource as keyof typeof resources));
  }
  const of = (kind: string): readonly unknown[] => all.get(kind) ?? [];
  const [one] = of('PodCliqueSet');
  const hash = at(one, 'status', 'currentGenerationHash');
  const found = [...statusMismatches({ now: Date.now(), all: of }, true)];
  const equal = (object: unknown, is: unknown, expected: unknown): void => {
    if (is !== expected) found.push({ object: text(at(object, 'metadata', 'name')), is, expected });
  };
  for (const object of Object.values(updated).flatMap(of)) {
    equal(object, at(object, 'status', 'currentPodCliqueSetGenerationHash'), hash);
    const progress = at(object, 'status', 'updateProgress');
    equal(object, progress !== undefined && at(progress, 'updateEndedAt') === undefined, false);
  }
  const listed = of('PodGang').flatMap((gang) =>
    list(at(gang, 'spec', 'podgroups')).flatMap((group) =>
      list(at(group, 'podReferences')).map((pod) => text(at(pod, 'name'))),
    ),
  );
  const there = of('Pod').map((pod) => text(at(pod, 'metadata', 'name')));
  equal(one, listed.toSorted().join(), there.toSorted().join());
  const templates = new Map(
    of('PodClique').map((clique) => [
      text(at(clique, 'metadata', 'name')),
      labelOf(clique, 'grove.io/pod-template-hash'),
    ]),
  );
  for (const pod of of('Pod')) {
    const template = templates.get(labelOf(pod, 'grove.io/podclique'));
    equal(pod, labelOf(pod, 'grove.io/pod-template-hash'), template);
    equal(pod, labelOf(pod, 'version'), '2');
  }
  return found;
}

/** Kills it every so often until all is over, and lets the last one live. */
async function killUntil(stage: Stage, isOver: () => boolean): Promise<number> {
  const begun = performance.now();
  let controller = await stage.controller();
  for (let kills = 0; ; kills++) {
    await stage.idle((kills + 1) * betweenKillsMs - (performance.now() - begun));
    if (isOver()) return kills;
    await controller.kill();
    controller = await stage.controller();
  }
}

async function ready(stage: Stage, here: string): Promise<void> {
  const first = await stage.controller();
  await stage.kube.create(here, 'podcliquesets', set);
  await stage.available(here, { name, replicas, cliques: [] }, limitMs);
  const look = async (): Promise<readonly unknown[]> => {
    const all = await stage.kube.list(here, 'pods');
    return all.filter(isReady);
  };
  await eventually('all pods ready', look, ({ length }) => length === allPods, limitMs);
  await stage.quiet(here);
  await first.kill();
}

describeReal('A rolling update on the real control plane', (stageAt) => {
  const title = `of ${replicas} replicas goes by turns, with a controller that is killed every 10 s`;
  test(title, { timeout: 2 * limitMs }, async () => {
    const stage = stageAt();
    const here = await stage.namespace('e2e-update');
    await ready(stage, here);
    const onlooker = new Onlooker(stage.transport);
    await onlooker.synced;
    const watcher = new Watcher(onlooker, here);
    const since = stage.audit.writes(here).length;
    const begun = performance.now();
    let tookMs = 0;
    const status = () => at(onlooker.one('podcliquesets', here, name), 'status');
    const isOver = (): boolean => {
      const isUpdated =
        at(status(), 'updateProgress', 'updateEndedAt') !== undefined &&
        count(at(status(), 'updatedReplicas')) === replicas &&
        list(at(status(), 'updateProgress', 'currentlyUpdating')).length === 0;
      if (isUpdated) tookMs ||= performance.now() - begun;
      return isUpdated;
    };
    let isGivenUp = false;
    await stage.kube.patch(here, 'podcliquesets', name, { spec: spec('2') });
    const killed = killUntil(stage, () => isGivenUp || isOver());
    try {
      await onlooker.until('updated', isOver, status, limitMs);
    } finally {
      isGivenUp = true;
      await killed;
      watcher.unlook();
      onlooker.stop();
    }
    await eventually(
      'all statuses true',
      () => untruths(stage, here),
      (found) => found.length === 0,
      30_000,
    );
    const writes = tally(stage.audit.writes(here).slice(since));
    stage.say(`${allPods} pods replaced in ${Math.round(tookMs)} ms, with ${await killed} kills`);
    stage.say(JSON.stringify(writes));
    expect(watcher.mostUnavailable).toBe(1);
    expect(watcher.order).toEqual(indices(replicas).map(String));
    expect(watcher.podsByPlace, 'pods by place').toEqual({ 2: allPods });
    expect(onlooker.podsEver(here), 'pods ever created').toBe(2 * allPods);
    // What a killed controller had asked for is given up with 504, done or not.
    const { 'delete pods 200': deleted = 0, 'delete pods 504': cut = 0 } = writes;
    expect(deleted).toBeLessThanOrEqual(allPods);
    expect(deleted + cut).toBeGreaterThanOrEqual(allPods);
    const conflicts = Object.keys(writes).filter(
      (what) => what.endsWith(' 409') && !what.startsWith('create '),
    );
    expect(conflicts).toEqual([]);
  });
});
