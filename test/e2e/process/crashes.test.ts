// The controller as a process that is killed with SIGKILL while it deploys 100 replicas: at twenty
// moments drawn from a seed, fewer on a slow machine, and with NATS killed, wiped and started again
// meanwhile. Each time it comes to the same end, and never was there a pod too many.
// `COPPICE_SEED=n` repeats a run,
// `COPPICE_KILLS_APART=1` gives every kill a deploy of its own.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { at, list, text } from '#machines/kubernetes/json.ts';
import { natsSkip } from '#test/support/nats.ts';
import { conditionOf, type Sight } from '#src/bench/onlooker.ts';
import { amountOf } from '#test/support/optional.mjs';
import { Place, type Running } from '#test/support/place.ts';
import { createNamespace, createSet, deleteSet } from '#test/support/workload.ts';

const patient = { timeout: 90_000 };
const replicas = 100;
const pods = 2 * replicas;
const kills = 4 * amountOf('rounds of kills');
const killsPerDeploy = process.env['COPPICE_KILLS_APART'] === undefined ? 4 : 1;
/** Watch events of one such deploy: every write of ours and of the cluster's own controllers. */
const sightsOfDeploy = 1200;

const seed = Number(process.env['COPPICE_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

/** A moment as the number of a sight, the same for the same seed (mulberry32). */
function moment(index: number): number {
  let state = (seed + index * 0x6d2b79f5) | 0;
  state = Math.imul(state ^ (state >>> 15), state | 1);
  state ^= state + Math.imul(state ^ (state >>> 7), state | 61);
  return 1 + (((state ^ (state >>> 14)) >>> 0) % sightsOfDeploy);
}

const place = new Place();
let controller: Running;

beforeAll(async () => {
  await place.start();
  controller = await place.controller();
}, 60_000);
afterAll(() => place.end());

/** Strikes at each of these sights of the namespace, one after the other; what is still open when
 *  all pods are ready comes then. */
function striking(
  namespace: string,
  moments: readonly number[],
  strike: () => Promise<void>,
): Promise<void> {
  const open = moments.toSorted((a, b) => a - b);
  let sights = 0;
  let isAtWork = false;
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const [next] = open;
      const isLate = place.onlooker.readyPods(namespace) === pods;
      if (isAtWork || next === undefined || (sights < next && !isLate)) return;
      isAtWork = true;
      open.shift();
      strike().then(() => {
        isAtWork = false;
        if (open.length > 0) return look();
        end();
        resolve();
      }, reject);
    };
    const end = place.onlooker.onSight((sight: Sight) => {
      if (sight.namespace !== namespace) return;
      sights++;
      look();
    });
  });
}

/** Deploys into a namespace of its own under these strikes, and waits for all of it. */
async function deploy(
  namespace: string,
  moments: readonly number[],
  strike: () => Promise<void>,
): Promise<void> {
  const { client, onlooker } = place;
  await createNamespace(client, namespace);
  const hit = striking(namespace, moments, strike);
  await createSet(client, namespace, { name: 'crash', replicas });
  await hit;
  const available = (): unknown =>
    at(onlooker.one('podcliquesets', namespace, 'crash'), 'status', 'availableReplicas');
  const initialized = (): number =>
    [...onlooker.all('podgangs', namespace).values()].filter(
      (gang) => conditionOf(gang, 'Initialized') === 'True',
    ).length;
  const now = () => ({
    available: available(),
    ready: onlooker.readyPods(namespace),
    initialized: initialized(),
  });
  const isWhole = (): boolean =>
    available() === replicas && now().ready === pods && initialized() === replicas;
  const what = `available in ${namespace}, struck at ${moments.join(', ')}, seed ${seed}`;
  await onlooker.until(what, isWhole, now);
}

/** What must hold at the end of every deploy. */
function judge(namespace: string): void {
  const { onlooker } = place;
  expect(onlooker.podsEver(namespace), `pods ever created, seed ${seed}`).toBe(pods);
  const gangs = onlooker.all('podgangs', namespace);
  expect(gangs.size).toBe(replicas);
  const alive = onlooker.all('pods', namespace);
  const listed = [...gangs.values()].flatMap((gang) => {
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
  const left = (): Record<string, number> => ({
    pods: onlooker.all('pods', namespace).size,
    cliques: onlooker.all('podcliques', namespace).size,
    gangs: onlooker.all('podgangs', namespace).size,
    sets: onlooker.all('podcliquesets', namespace).size,
  });
  const isGone = (): boolean => Object.values(left()).every((count) => count === 0);
  await onlooker.until(`${namespace} empty, seed ${seed}`, isGone, left);
}

const killController = async (): Promise<void> => {
  await controller.program.kill();
  controller = await place.controller();
};

const rounds = Array.from({ length: kills / killsPerDeploy }, (_, round) => ({
  name: `kill-${round + 1}`,
  moments: Array.from({ length: killsPerDeploy }, (_each, kill) =>
    moment(round * killsPerDeploy + kill),
  ),
}));

describe('A controller that is killed while it deploys 100 replicas', () => {
  test.each(rounds)('converges with no pod too many: $name', patient, async ({ name, moments }) => {
    const before = Number((await place.requests())['create pods 201'] ?? 0);
    await deploy(name, moments, killController);
    judge(name);
    expect((await place.requests())['create pods 201']).toBe(before + pods);
    await remove(name);
  });
});

describe(`A controller whose NATS is killed and wiped${natsSkip}`, () => {
  test.skipIf(natsSkip !== '')('deploys on as if nothing were', patient, async () => {
    await deploy('wiped', [moment(kills)], () => place.wipeNats());
    judge('wiped');
    await remove('wiped');
  });

  test.skipIf(natsSkip !== '')('and that is killed with it converges', patient, async () => {
    await deploy('wiped-and-killed', [moment(kills + 1)], async () => {
      await Promise.all([place.wipeNats(), killController()]);
    });
    judge('wiped-and-killed');
  });
});
