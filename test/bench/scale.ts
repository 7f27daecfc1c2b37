// The scale benchmark: deploy, idle, touch, restart, half and back, delete - each step timed by an
// observer of its own and its requests counted by the server.
import { type Counts, Observer } from './observer.ts';
import type { Measured } from './process.ts';
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

/** For each step. */
const limitSeconds = 600;

/** Quiet: no write of the controller for this long. */
const quietMs = 3000;

export async function runScale(world: World, options: ScaleOptions): Promise<ScaleResult> {
  const observer = new Observer(world.client);
  observer.start();
  try {
    const run = new ScaleRun(world, observer, options);
    const first = await world.startController();
    const deployed = await run.deploy();
    const { cpuSeconds } = await usage(first);
    const rested = await run.rest();
    const { cpuSeconds: cpuAtRest, rssMb } = await usage(first);
    await first.stop();
    const { second, restart } = await run.restart();
    const scaled = await run.scaleAndDelete();
    const after = await usage(second);
    await second.stop();
    return {
      replicas: options.replicas,
      ...deployed,
      ...rested,
      writes_restart: writes(restart),
      ...scaled,
      // Start and deploy; then what idling and the touch added; then the second life.
      controller_cpu_s: cpuSeconds,
      controller_cpu_rest_s: round(cpuAtRest - cpuSeconds),
      controller_rss_mb: Math.max(rssMb, after.rssMb),
      controller_rss_first_half_mb: rssMb,
      controller_cpu_second_half_s: after.cpuSeconds,
    };
  } finally {
    observer.stop();
  }
}

const round = (value: number): number => Math.round(value * 100) / 100;

async function usage(controller: Measured): Promise<{ cpuSeconds: number; rssMb: number }> {
  const [cpuSeconds, rssMb] = await Promise.all([controller.cpuSeconds(), controller.peakRssMb()]);
  return { cpuSeconds: round(cpuSeconds), rssMb };
}

/** The steps, in their order. Each says how it went. */
class ScaleRun {
  readonly #world: World;
  readonly #observer: Observer;
  readonly #options: ScaleOptions;
  readonly #pods: number;

  constructor(world: World, observer: Observer, options: ScaleOptions) {
    this.#world = world;
    this.#observer = observer;
    this.#options = options;
    this.#pods = options.replicas * podsPerReplica;
  }

  async deploy(): Promise<ScaleResult> {
    const { replicas, say } = this.#options;
    const observer = this.#observer;
    let times: number[] = [];
    const requests = await this.#counted('deploy', async () => {
      const steps = [
        observer.until('created', (now) => now.podsEverCreated >= this.#pods, limitSeconds),
        observer.until('ready', (now) => now.podsReady >= this.#pods, limitSeconds),
        observer.until('available', (now) => now.availableReplicas >= replicas, limitSeconds),
      ];
      await deploy(this.#world.client, replicas);
      times = (await Promise.all(steps)).map(round);
    });
    const [created = 0, ready = 0, available = 0] = times;
    say(`created ${created} s, ready ${ready} s, available ${available} s`);
    return {
      created_s: created,
      ready_s: ready,
      available_s: available,
      writes: writes(requests),
      events: events(requests),
      conflicts: conflicts(requests),
      pods_ever_created: observer.counts().podsEverCreated,
      requests,
    };
  }

  async rest(): Promise<ScaleResult> {
    const { idleSeconds } = this.#options;
    const idle = await this.#counted(`idle ${idleSeconds} s`, () => sleep(idleSeconds * 1000));
    const touched = await this.#counted('touch', () => touch(this.#world.client));
    return { writes_idle: writes(idle), writes_touch: writes(touched) };
  }

  async restart(): Promise<{ second: Measured; restart: RequestCounts }> {
    const started: Measured[] = [];
    const restart = await this.#counted('restart', async () => {
      started.push(await this.#world.startController());
    });
    const [second] = started;
    if (second === undefined) throw new Error('the controller did not start again');
    return { second, restart };
  }

  async scaleAndDelete(): Promise<ScaleResult> {
    const { replicas } = this.#options;
    const { client } = this.#world;
    const half = Math.floor(replicas / 2);
    const down = await this.#timed(
      `${replicas} -> ${half}`,
      () => scale(client, half),
      (now) => now.podsAlive === half * podsPerReplica,
    );
    const up = await this.#timed(
      `${half} -> ${replicas}`,
      () => scale(client, replicas),
      (now) => now.availableReplicas >= replicas && now.podsReady >= this.#pods,
    );
    const gone = await this.#timed(
      'gone',
      () => remove(client),
      ({ alive }) => Object.values(alive).every((count) => count === 0),
    );
    return { scale_down_s: down, scale_up_s: up, gone_s: gone };
  }

  async #timed(
    what: string,
    act: () => Promise<void>,
    claim: (counts: Counts) => boolean,
  ): Promise<number> {
    const begun = performance.now();
    await act();
    await this.#observer.until(what, claim, limitSeconds);
    const seconds = round((performance.now() - begun) / 1000);
    this.#options.say(`${what}: ${seconds} s`);
    return seconds;
  }

  async #counted(what: string, step: () => Promise<void>): Promise<RequestCounts> {
    const before = await this.#world.requests();
    await step();
    await quiet(this.#world);
    const counts = since(before, await this.#world.requests());
    const detail = Object.entries(counts).filter(([key]) => isWrite(key));
    const list = detail.map(([key, count]) => `${count} ${key}`).join(', ');
    this.#options.say(
      `${what}: ${writes(counts)} writes, ${events(counts)} events${list === '' ? '' : `: ${list}`}`,
    );
    return counts;
  }
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
