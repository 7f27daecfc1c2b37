// The scale benchmark: deploy, idle, touch, restart, to half and back, to none, a few, none, all
// again, delete, each a phase of the harness.
import type { Controller } from './controller.ts';
import { type Harness, type Milestones, pause, type Phase } from './harness.ts';
import { conflicts, events, type RequestCounts, writes } from './requests.ts';
import type { Result } from './statistics.ts';
import { usageKeys, usageOf } from './usage.ts';
import {
  deploy,
  deploySplit,
  podsPerReplica,
  remove,
  removeSplit,
  scale,
  settledAt,
  type Split,
  touch,
} from './workload.ts';
import type { World } from './world.ts';

export interface ScaleOptions {
  readonly replicas: number;
  readonly idleSeconds: number;
  /** Keeps a phase open for so long after a touch: for profiles of a steady state. */
  readonly steadySeconds?: number | undefined;
  /** Ends after the deploy and the deletion: for what needs these alone. */
  readonly isShort?: boolean;
  /** Only with that: the replicas are in so many sets. Absent: in one. */
  readonly split?: Split | undefined;
}

/** For the steps from none to a few and back. */
const few = 5;

/** All steps on a fresh world; resolves with flat keys that carry their units. */
export async function runScale(
  world: World,
  harness: Harness,
  options: ScaleOptions,
): Promise<Result> {
  const { replicas, isShort = false } = options;
  const run = new ScaleRun(world, harness, options);
  const first = await world.startController();
  const deployed = await run.deploy();
  const steady = options.steadySeconds === undefined ? {} : await run.steady(options.steadySeconds);
  if (isShort) {
    const gone = await run.remove();
    await first.stop();
    return { replicas, ...deployed, ...steady, ...gone };
  }
  const rested = await run.rest();
  await first.stop();
  const { second, restarted } = await run.restart();
  const scaled = await run.scale();
  const gone = await run.remove();
  const after = await usageOf(second.pid);
  const all = await world.requests();
  await second.stop();
  return {
    replicas,
    ...deployed,
    ...steady,
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

const cpuOf = ({ usages }: Phase): number => round(usages['controller']?.cpuSeconds ?? 0);

/** Said lazily: without it these writes would be those of the next phase. */
const gangsRun = (step: string, replicas: number): Milestones => ({
  [`${step}_gangs_running_s`]: { podgangsRunning: { is: replicas } },
});

class ScaleRun {
  readonly #world: World;
  readonly #harness: Harness;
  readonly #options: ScaleOptions;

  constructor(world: World, harness: Harness, options: ScaleOptions) {
    this.#world = world;
    this.#harness = harness;
    this.#options = options;
  }

  async deploy(): Promise<Result> {
    const { replicas } = this.#options;
    const { observer, usages } = this.#world;
    const pods = replicas * podsPerReplica;
    const { controller: start } = await usages();
    const phase = await this.#harness.phase('deploy', () => this.#deployed(), {
      created_s: { podsEver: { least: pods } },
      initialized_s: { podgangsInitialized: { least: replicas } },
      ready_s: { podsReady: { least: pods } },
      available_s: { replicasAvailable: { least: replicas } },
      ...gangsRun('deploy', replicas),
    });
    const { podsEver } = await observer.counts();
    const startCpu = start?.cpuSeconds ?? 0;
    return {
      ...phase.milestones,
      ...countsOf(phase.requests),
      pods_ever_created: podsEver,
      ...usageKeys(phase.usages),
      // With its start, as there is no deploy without it.
      ...(start === undefined
        ? {}
        : {
            controller_cpu_s: round(cpuOf(phase) + startCpu),
            controller_cpu_start_s: round(startCpu),
            controller_cpu_deploy_s: cpuOf(phase),
          }),
      requests: phase.requests,
    };
  }

  #deployed(): Promise<unknown> {
    const { replicas, split } = this.#options;
    const { client } = this.#world;
    return split === undefined ? deploy(client, replicas) : deploySplit(client, replicas, split);
  }

  async steady(seconds: number): Promise<Result> {
    const phase = await this.#harness.phase('steady', async () => {
      await touch(this.#world.client);
      await pause(seconds * 1000);
    });
    return { writes_steady: writes(phase.requests), controller_cpu_steady_s: cpuOf(phase) };
  }

  async rest(): Promise<Result> {
    const { idleSeconds } = this.#options;
    const idle = await this.#harness.phase('idle', () => pause(idleSeconds * 1000));
    const touched = await this.#harness.phase('touch', () => touch(this.#world.client));
    return {
      writes_idle: writes(idle.requests),
      writes_touch: writes(touched.requests),
      controller_cpu_idle_s: cpuOf(idle),
      controller_cpu_touch_s: cpuOf(touched),
    };
  }

  async restart(): Promise<{ second: Controller; restarted: Result }> {
    let second: Controller | undefined;
    const { requests } = await this.#harness.phase('restart', async () => {
      second = await this.#world.startController();
    });
    if (second === undefined) throw new Error('the controller did not start again');
    const restart_ready_s = round(second.readySeconds);
    return { second, restarted: { restart_ready_s, writes_restart: writes(requests) } };
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
        ...gangsRun('scale_up', replicas),
      })),
      ...(await this.#to(0, 'scale_to_zero', { scale_to_zero_s: settledAt(0) })),
      ...(await this.#fromZero(some, 'zero_to_few')),
      ...(await this.#to(0, 'few_to_zero', { few_to_zero_s: settledAt(0) })),
      ...(await this.#fromZero(replicas, 'scale_from_zero')),
    };
  }

  remove(): Promise<Result> {
    const { client } = this.#world;
    const { split } = this.#options;
    const act = () => (split === undefined ? remove(client) : removeSplit(client, split));
    return this.#step('gone', act, {
      set_gone_s: { setsAlive: { is: 0 } },
      gone_s: { ...settledAt(0), setsAlive: { is: 0 } },
    });
  }

  #to(count: number, name: string, milestones: Milestones): Promise<Result> {
    return this.#step(name, () => scale(this.#world.client, count), milestones);
  }

  async #fromZero(count: number, name: string): Promise<Result> {
    const { podsEver } = await this.#world.observer.counts();
    return this.#to(count, name, {
      [`${name}_created_s`]: { podsEver: { least: podsEver + count * podsPerReplica } },
      [`${name}_ready_s`]: { podsReady: { least: count * podsPerReplica } },
      ...gangsRun(name, count),
    });
  }

  async #step(name: string, act: () => Promise<unknown>, milestones: Milestones): Promise<Result> {
    const phase = await this.#harness.phase(name, act, milestones);
    return { ...phase.milestones, [`writes_${name}`]: writes(phase.requests) };
  }
}

const countsOf = (requests: RequestCounts): Result => ({
  writes: writes(requests),
  events: events(requests),
  conflicts: conflicts(requests),
});
