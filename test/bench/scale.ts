// The scale benchmark: deploy, idle, touch, restart, to half and back, to none, a few, none, all
// again, delete. Each step is timed by the observer; what it writes is counted apart.
import type { Controller } from './controller.ts';
import { type Claim, machineMs } from './observer/claims.ts';
import { conflicts, events, isWrite, type RequestCounts, since, writes } from './requests.ts';
import type { Result } from './statistics.ts';
import { between, usageKeys, usageOf } from './usage.ts';
import { deploy, podsPerReplica, remove, scale, settledAt, touch } from './workload.ts';
import type { World } from './world.ts';

export interface ScaleOptions {
  readonly replicas: number;
  readonly idleSeconds: number;
  /** A step is over when no write was counted for this long. */
  readonly quietSeconds: number;
  /** Ends after the deploy and the deletion: for what needs these alone. */
  readonly isShort?: boolean;
  readonly say: (line: string) => void;
}

/** By the key under which the seconds until it holds are told. */
type Claims = Readonly<Record<string, Claim>>;

/** For the steps from none to a few and back. */
const few = 5;

/** All steps on a fresh world; resolves with flat keys that carry their units. */
export async function runScale(world: World, options: ScaleOptions): Promise<Result> {
  const run = new ScaleRun(world, options);
  const first = await world.startController();
  const deployed = await run.deploy();
  if (options.isShort === true) {
    const gone = await run.remove();
    await first.stop();
    return { replicas: options.replicas, ...deployed, ...gone };
  }
  const rested = await run.rest(first);
  await first.stop();
  const { second, restarted } = await run.restart();
  const scaled = await run.scale();
  const gone = await run.remove();
  const after = await usageOf(second.pid);
  const all = await world.requests();
  await second.stop();
  return {
    replicas: options.replicas,
    ...deployed,
    ...rested,
    ...restarted,
    ...scaled,
    ...gone,
    conflicts_run: conflicts(all),
    requests_run: all,
    ...(after === undefined
      ? {}
      : {
          controller_cpu_second_half_s: round(after.cpuSeconds),
          controller_rss_second_half_mb: after.peakRssMb,
        }),
  };
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** The steps, in their order. Each says how it went. */
class ScaleRun {
  readonly #world: World;
  readonly #options: ScaleOptions;

  constructor(world: World, options: ScaleOptions) {
    this.#world = world;
    this.#options = options;
  }

  async deploy(): Promise<Result> {
    const { replicas } = this.#options;
    const { client, usages } = this.#world;
    const pods = replicas * podsPerReplica;
    const { controller: start, ...before } = await usages();
    let times: Result = {};
    const requests = await this.#counted('deploy', async () => {
      times = await this.#timed(() => deploy(client, replicas), {
        created_s: { podsEver: { least: pods } },
        initialized_s: { podgangsInitialized: { least: replicas } },
        ready_s: { podsReady: { least: pods } },
        available_s: { replicasAvailable: { least: replicas } },
      });
    });
    // The controller's includes its start, as there is none without it.
    const used = usageKeys(between(before, await usages()));
    const { podsEver } = await this.#world.observer.counts();
    return {
      ...times,
      writes: writes(requests),
      events: events(requests),
      conflicts: conflicts(requests),
      pods_ever_created: podsEver,
      ...used,
      ...(start === undefined ? {} : { controller_cpu_start_s: round(start.cpuSeconds) }),
      requests,
    };
  }

  async rest(controller: Controller): Promise<Result> {
    const { idleSeconds } = this.#options;
    const cpu = async (): Promise<number> => (await usageOf(controller.pid))?.cpuSeconds ?? 0;
    const begun = await cpu();
    const idle = await this.#counted(`idle ${idleSeconds} s`, () => sleep(idleSeconds * 1000));
    const idled = await cpu();
    const touched = await this.#counted('touch', () => touch(this.#world.client));
    const done = await cpu();
    return {
      writes_idle: writes(idle),
      writes_touch: writes(touched),
      controller_cpu_idle_s: round(idled - begun),
      controller_cpu_touch_s: round(done - idled),
    };
  }

  async restart(): Promise<{ second: Controller; restarted: Result }> {
    let second: Controller | undefined;
    const restart = await this.#counted('restart', async () => {
      second = await this.#world.startController();
    });
    if (second === undefined) throw new Error('the controller did not start again');
    const restart_ready_s = round(second.readySeconds);
    this.#options.say(`restart: ready after ${restart_ready_s} s`);
    return { second, restarted: { restart_ready_s, writes_restart: writes(restart) } };
  }

  /** Each step from rest. */
  async scale(): Promise<Result> {
    const { replicas } = this.#options;
    const half = Math.floor(replicas / 2);
    const some = Math.min(few, replicas);
    const available = { replicasAvailable: { least: replicas } };
    return {
      ...(await this.#to(half, 'scale_down', { scale_down_s: settledAt(half) })),
      ...(await this.#to(replicas, 'scale_up', {
        scale_up_s: { ...settledAt(replicas), ...available },
      })),
      ...(await this.#to(0, 'scale_to_zero', { scale_to_zero_s: settledAt(0) })),
      ...(await this.#fromZero(some, 'zero_to_few')),
      ...(await this.#to(0, 'few_to_zero', { few_to_zero_s: settledAt(0) })),
      ...(await this.#fromZero(replicas, 'scale_from_zero')),
    };
  }

  remove(): Promise<Result> {
    return this.#step('gone', () => remove(this.#world.client), {
      set_gone_s: { setsAlive: { is: 0 } },
      gone_s: { ...settledAt(0), setsAlive: { is: 0 } },
    });
  }

  #to(count: number, name: string, claims: Claims): Promise<Result> {
    return this.#step(name, () => scale(this.#world.client, count), claims);
  }

  async #fromZero(count: number, name: string): Promise<Result> {
    const { podsEver } = await this.#world.observer.counts();
    return this.#to(count, name, {
      [`${name}_created_s`]: { podsEver: { least: podsEver + count * podsPerReplica } },
      [`${name}_ready_s`]: { podsReady: { least: count * podsPerReplica } },
    });
  }

  async #step(name: string, act: () => Promise<unknown>, claims: Claims): Promise<Result> {
    let times: Result = {};
    const requests = await this.#counted(name, async () => {
      times = await this.#timed(act, claims);
    });
    return { ...times, [`writes_${name}`]: writes(requests) };
  }

  /** Seconds from the act to each claim. */
  async #timed(act: () => Promise<unknown>, claims: Claims): Promise<Result> {
    const begun = machineMs();
    const [rows] = await Promise.all([
      Promise.all(
        Object.entries(claims).map(async ([key, claim]) => {
          const atMs = await this.#world.observer.until(key, claim);
          return [key, round((atMs - begun) / 1000)] as const;
        }),
      ),
      act(),
    ]);
    this.#options.say(rows.map(([key, seconds]) => `${key} ${seconds}`).join(', '));
    return Object.fromEntries(rows);
  }

  async #counted(what: string, step: () => Promise<unknown>): Promise<RequestCounts> {
    const before = await this.#world.requests();
    await step();
    await this.#quiet();
    const counts = since(before, await this.#world.requests());
    const detail = Object.entries(counts).filter(([key]) => isWrite(key));
    const list = detail.map(([key, count]) => `${count} ${key}`).join(', ');
    const sum = `${what}: ${writes(counts)} writes, ${events(counts)} events`;
    this.#options.say(list === '' ? sum : `${sum}: ${list}`);
    return counts;
  }

  async #quiet(): Promise<void> {
    for (let before = -1; ;) {
      const now = writes(await this.#world.requests());
      if (now === before) return;
      before = now;
      await sleep(this.#options.quietSeconds * 1000);
    }
  }
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
