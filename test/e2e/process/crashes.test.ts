// The controller as a process that is killed with SIGKILL while it deploys 100 replicas: at twenty
// moments drawn from a seed, and with NATS killed, wiped and started again meanwhile. Each time it
// comes to the same end, and never was there a pod too many.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, text } from '#machines/json.ts';
import { natsSkip } from '#test/support/nats.ts';
import { conditionOf } from '#test/support/onlooker.ts';
import { Place, type Running } from '#test/support/place.ts';
import { createNamespace, createSet, deleteSet } from '#test/support/workload.ts';

const replicas = 100;
const pods = 2 * replicas;
const kills = 20;
/** Watch events of one such deploy: every write of ours and of the cluster's own controllers. */
const sightsOfDeploy = 1200;

const seed = Number(process.env['COPPICE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** mulberry32: a moment for each round, the same for the same seed. */
function moment(round: number): number {
  let state = (seed + round * 0x6d2b79f5) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return 1 + ((state ^ (state >>> 14)) >>> 0) % sightsOfDeploy;
}

const place = new Place();
let controller: Running;

beforeAll(async () => {
  await place.start();
  controller = await place.controller();
}, 60_000);
afterAll(() => place.end());

/** Deploys into a namespace of its own, strikes at the n-th sight, and waits until it is quiet. */
async function deploy(namespace: string, strikeAt: number, strike: () => Promise<void>) {
  const { client, onlooker } = place;
  await createNamespace(client, namespace);
  let sights = 0;
  const struck = new Promise<void>((resolve, reject) => {
    const end = onlooker.onSight((sight) => {
      const isLate = onlooker.readyPods(namespace) === pods;
      if (sight.namespace !== namespace || (++sights < strikeAt && !isLate)) return;
      end();
      strike().then(resolve, reject);
    });
  });
  await createSet(client, namespace, { name: 'crash', replicas });
  await struck;
  const available = (): unknown =>
    at(onlooker.one('podcliquesets', namespace, 'crash'), 'status', 'availableReplicas');
  await onlooker.until(
    `available in ${namespace}, struck at ${strikeAt}, seed ${seed}`,
    () => available() === replicas && onlooker.readyPods(namespace) === pods,
    () => ({ available: available(), ready: onlooker.readyPods(namespace) }),
  );
}

/** What must hold at the end of every deploy. */
function judge(namespace: string): void {
  const { onlooker } = place;
  expect(onlooker.podsEver(namespace), 'pods ever created').toBe(pods);
  const gangs = onlooker.all('podgangs', namespace);
  expect(gangs.size).toBe(replicas);
  const alive = onlooker.all('pods', namespace);
  const listed = [...gangs.values()].flatMap((gang) => {
    expect(conditionOf(gang, 'Initialized')).toBe('True');
    const names = list(at(gang, 'spec', 'podgroups')).flatMap((group) =>
      list(at(group, 'podReferences')).map((reference) => text(at(reference, 'name'))),
    );
    expect(names).toHaveLength(2);
    return names;
  });
  expect(listed.toSorted()).toEqual([...alive.keys()].toSorted());
  for (const pod of alive.values()) expect(list(at(pod, 'spec', 'schedulingGates'))).toEqual([]);
}

async function remove(namespace: string): Promise<void> {
  const { client, onlooker } = place;
  await deleteSet(client, namespace, 'crash');
  const counts = () => ({
    pods: onlooker.all('pods', namespace).size,
    cliques: onlooker.all('podcliques', namespace).size,
    gangs: onlooker.all('podgangs', namespace).size,
    sets: onlooker.all('podcliquesets', namespace).size,
  });
  const isGone = (): boolean => Object.values(counts()).every((count) => count === 0);
  await onlooker.until(`${namespace} empty, seed ${seed}`, isGone, counts);
}

const killController = async (): Promise<void> => {
  await controller.program.kill();
  controller = await place.controller();
};

describe('A controller that is killed while it deploys 100 replicas', () => {
  for (let round = 1; round <= kills; round++) {
    const strikeAt = moment(round);
    test(`converges with no pod too many, round ${round}`, async () => {
      const namespace = `kill-${round}`;
      const t0 = performance.now();
      const before = await place.requests();
      await deploy(namespace, strikeAt, killController);
      const t1 = performance.now();
      judge(namespace);
      const t2 = performance.now();
      await remove(namespace);
      console.log(strikeAt, Math.round(t1 - t0), Math.round(t2 - t1), Math.round(performance.now() - t2), (await place.requests())['create pods 201'], before['create pods 201']);
    }, 60_000);
  }
});

describe(`A controller whose NATS is killed and wiped${natsSkip}`, () => {
  test.skipIf(natsSkip !== '')('deploys on as if nothing were', async () => {
    await deploy('wiped', moment(kills + 1), () => place.wipeNats());
    judge('wiped');
    await remove('wiped');
  }, 60_000);

  test.skipIf(natsSkip !== '')('is killed too, and converges', async () => {
    await deploy('wiped-and-killed', moment(kills + 2), async () => {
      await Promise.all([place.wipeNats(), killController()]);
    });
    judge('wiped-and-killed');
  }, 60_000);
});
