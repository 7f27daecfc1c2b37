// The scale benchmark: deploy, idle, touch, restart, half and back, delete - each step timed by an
// observer of its own and its requests counted by the server.
import { Observer } from './observer.ts';
import { conflicts, events, isWrite, type RequestCounts, since, writes } from './requests.ts';
import { deploy, podsPerReplica, remove, scale, touch } from './workload.ts';
import type { World } from './world.ts';

export interface ScaleOptions {
  readonly replicas: number;
  readonly idleSeconds: number;
  readonly say: (line: string) => void;
}

/** Flat keys with their units in the name, as printed on the one line of standard output. */
export type ScaleResult = Readonly<Record<string, number | RequestCounts>>;

/** Quiet: no write of the controller for this long. */
const quietMs = 3000;

export async function runScale(
  world: World,
  { replicas, idleSeconds, say }: ScaleOptions,
): Promise<ScaleResult> {
  const { client } = world;
  const pods = replicas * podsPerReplica;
  const observer = new Observer(client);
  observer.start();
  const controller = await world.startController();
  const round = (value: number): number => Math.round(value * 100) / 100;
  const counted = async (what: string, step: () => Promise<void>): Promise<RequestCounts> => {
    const before = await world.requests();
    await step();
    await quiet(world);
    const counts = since(before, await world.requests());
    const detail = Object.entries(counts)
      .filter(([key]) => isWrite(key))
      .map(([key, count]) => `${count} ${key}`);
    say(`${what}: ${writes(counts)} writes, ${events(counts)} events (${detail.join(', ')})`);
    return counts;
  };

  let times = [0, 0, 0];
  const requests = await counted('deploy', async () => {
    const limit = 600;
    const steps = [
      observer.until('created', (now) => now.podsEverCreated >= pods, limit),
      observer.until('ready', (now) => now.podsReady >= pods, limit),
      observer.until('available', (now) => now.availableReplicas >= replicas, limit),
    ];
    await deploy(client, replicas);
    times = await Promise.all(steps);
    say(
      `created ${times[0]?.toFixed(1)} s, ready ${times[1]?.toFixed(1)} s, available ${times[2]?.toFixed(1)} s`,
    );
  });
  const podsEverCreated = observer.counts().podsEverCreated;
  const idle = await counted(`idle ${idleSeconds} s`, () => sleep(idleSeconds * 1000));
  const touched = await counted('touch', () => touch(client));
  const cpu = await controller.cpuSeconds();
  const rss = await controller.peakRssMb();
  await controller.stop();
  let restarted = controller;
  const restart = await counted('restart', async () => {
    restarted = await world.startController();
  });
  const half = Math.floor(replicas / 2);
  await scale(client, half);
  const down = await observer.until(
    'scaled in',
    ({ podsAlive }) => podsAlive === half * podsPerReplica,
    600,
  );
  say(`${replicas} -> ${half}: ${down.toFixed(1)} s`);
  await scale(client, replicas);
  const up = await observer.until(
    'scaled out',
    (now) => now.availableReplicas >= replicas && now.podsReady >= pods,
    600,
  );
  say(`${half} -> ${replicas}: ${up.toFixed(1)} s`);
  await remove(client);
  const gone = await observer.until(
    'gone',
    ({ alive }) => Object.values(alive).every((count) => count === 0),
    600,
  );
  say(`gone ${gone.toFixed(1)} s`);
  const cpuAfter = await restarted.cpuSeconds();
  const rssAfter = await restarted.peakRssMb();
  observer.stop();
  await restarted.stop();
  return {
    replicas,
    created_s: round(times[0] ?? 0),
    ready_s: round(times[1] ?? 0),
    available_s: round(times[2] ?? 0),
    gone_s: round(gone),
    writes: writes(requests),
    events: events(requests),
    conflicts: conflicts(requests),
    pods_ever_created: podsEverCreated,
    controller_cpu_s: round(cpu),
    controller_rss_mb: Math.max(rss, rssAfter),
    controller_cpu_second_half_s: round(cpuAfter),
    writes_idle: writes(idle),
    writes_touch: writes(touched),
    writes_restart: writes(restart),
    scale_down_s: round(down),
    scale_up_s: round(up),
    requests,
  };
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function quiet(world: World): Promise<void> {
  for (let before = -1; ;) {
    const now = writes(await world.requests());
    if (now === before) return;
    before = now;
    await sleep(quietMs);
  }
}
