// A rolling update on the real control plane, with a controller that is killed while it runs: pod
// by pod, replica by replica, none too many, and it ends.
import { expect, test } from 'vitest';
import { at, count, text } from '#machines/kubernetes/json.ts';
import { conditionOf, Onlooker } from '#test/support/onlooker.ts';
import { tally } from './audit.ts';
import { manifest, pairs, type SetWanted } from './sets.ts';
import { describeReal, type Stage } from './stage.ts';

const name = 'roll';
const replicas = 10;
const kills = 4;
const pauseMs = 1_500;

const labelled = (set: SetWanted, version: string): SetWanted => ({
  ...set,
  cliques: set.cliques.map((clique) => ({ ...clique, labels: { version } })),
});

const before = labelled(pairs(name, replicas), '1');
const after = labelled(before, '2');

/** What was seen of the pods of an update. */
class Watcher {
  readonly #onlooker: Onlooker;
  readonly #here: string;
  readonly unlook: () => void;
  fewestReady = Infinity;
  /** Replicas in the order in which their first new pod came. */
  readonly order: string[] = [];

  constructor(onlooker: Onlooker, here: string) {
    this.#onlooker = onlooker;
    this.#here = here;
    this.unlook = onlooker.onSight(({ namespace, resource, object }) => {
      if (namespace !== here || resource !== 'pods') return;
      this.fewestReady = Math.min(this.fewestReady, this.#ready());
      if (text(at(object, 'metadata', 'labels', 'version')) !== '2') return;
      const index = text(at(object, 'metadata', 'labels', 'grove.io/podcliqueset-replica-index'));
      if (!this.order.includes(index)) this.order.push(index);
    });
  }

  #ready(): number {
    const pods = [...this.#onlooker.all('pods', this.#here).values()];
    const isGoing = (pod: unknown): boolean =>
      at(pod, 'metadata', 'deletionTimestamp') !== undefined;
    return pods.filter((pod) => !isGoing(pod) && conditionOf(pod, 'Ready') === 'True').length;
  }
}

async function killNowAndThen(stage: Stage): Promise<void> {
  let controller = await stage.controller();
  for (let kill = 0; kill < kills; kill++) {
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    await controller.kill();
    controller = await stage.controller();
  }
}

describeReal('A rolling update on the real control plane', (stageAt) => {
  const title = 'goes pod by pod and replica by replica, however often the controller is killed';
  test(title, { timeout: 300_000 }, async () => {
    const stage = stageAt();
    const here = await stage.namespace('e2e-update');
    const first = await stage.controller();
    await stage.kube.create(here, 'podcliquesets', manifest(before));
    await stage.ready(here, before);
    await stage.quiet(here);
    await first.kill();
    const onlooker = new Onlooker(stage.transport);
    await onlooker.synced;
    const watcher = new Watcher(onlooker, here);
    const since = stage.audit.writes(here).length;
    try {
      const spec = at(manifest(after), 'spec');
      await stage.kube.patch(here, 'podcliquesets', name, { spec });
      await killNowAndThen(stage);
      const status = () => at(onlooker.one('podcliquesets', here, name), 'status');
      const isOver = (): boolean =>
        at(status(), 'updateProgress', 'updateEndedAt') !== undefined &&
        count(at(status(), 'updatedReplicas')) === replicas;
      await onlooker.until('updated', isOver, status, 240_000);
    } finally {
      watcher.unlook();
      onlooker.stop();
    }
    await stage.ready(here, after);
    expect(watcher.fewestReady).toBeGreaterThanOrEqual(2 * replicas - 1);
    expect(watcher.order).toEqual(Array.from({ length: replicas }, (_, index) => String(index)));
    expect(onlooker.podsEver(here), 'pods ever created').toBe(4 * replicas);
    const writes = tally(stage.audit.writes(here).slice(since));
    expect(writes['delete pods 200']).toBe(2 * replicas);
    const conflicts = Object.keys(writes).filter(
      (what) => what.endsWith(' 409') && !what.startsWith('create '),
    );
    expect(conflicts).toEqual([]);
    stage.say(JSON.stringify(writes));
  });
});
