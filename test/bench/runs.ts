// Runs on fresh clusters, put together: floor and scale as pairs, the audited run beside the timed
// ones, the calibration, the sweep over requests in flight. Commands and report call it.
import type { Limit } from '#test/cluster/commands.ts';
import { runCalibration } from './calibration.ts';
import { runFloor } from './floor.ts';
import { runScale } from './scale.ts';
import { ratios, type Result } from './statistics.ts';
import { startWorld, type World, type WorldOptions } from './world.ts';

export interface RunOptions {
  readonly cluster: 'embedded' | 'real';
  readonly nodes: number;
  readonly replicas: number;
  readonly limits: Limits;
  readonly inFlight?: number | undefined;
  readonly floorInFlight: number;
  readonly idleSeconds: number;
  readonly quietSeconds: number;
  readonly say: (line: string) => void;
}

export interface Limits {
  /** `S1`, `S2` or `custom`. */
  readonly name: string;
  /** Of the controller, per kind. */
  readonly limit?: Limit | undefined;
  readonly schedulerLimit?: Limit | undefined;
  readonly managerLimit?: Limit | undefined;
}

/** As good as none, in the components that know no other way to say so. */
const unlimited: Limit = { qps: 5000, burst: 10_000 };

/** How upstream publishes its figures, the components as Kubernetes ships them. */
const upstream = {
  schedulerLimit: { qps: 50, burst: 100 },
  managerLimit: { qps: 20, burst: 30 },
};
export const limitsS1: Limits = { name: 'S1', limit: { qps: 100, burst: 150 }, ...upstream };
export const limitsS2: Limits = { name: 'S2', schedulerLimit: unlimited, managerLimit: unlimited };
export const limitsOf = (limit: Limit): Limits => ({ name: 'custom', limit, ...upstream });

async function onFreshWorld(
  {
    cluster,
    nodes,
    limits,
    inFlight,
  }: Pick<RunOptions, 'cluster' | 'nodes' | 'limits' | 'inFlight'>,
  act: (world: World) => Promise<Result>,
  more: Partial<WorldOptions> = {},
): Promise<Result> {
  const { name: _, ...limit } = limits;
  const world = await startWorld({ cluster, nodes, inFlight, ...limit, ...more });
  try {
    return await act(world);
  } finally {
    await world.stop();
  }
}

export const floor = (options: RunOptions): Promise<Result> =>
  onFreshWorld(options, (world) =>
    runFloor(world, { ...options, inFlight: options.floorInFlight, rate: options.limits.limit }),
  );

export const scale = (options: RunOptions): Promise<Result> =>
  onFreshWorld(options, (world) => runScale(world, options));

/** Floor and scale on fresh clusters, one after the other, and their ratios. The order alternates
 *  from pair to pair, so that a machine that grows slower favours neither. */
export async function pair(options: RunOptions, index: number): Promise<Result> {
  const isFloorFirst = index % 2 === 0;
  const before = isFloorFirst ? await floor(options) : undefined;
  const ours = await scale(options);
  const least = before ?? (await floor(options));
  return { ...least, ...ours, ...ratios(ours, least) };
}

/** What an audited run is asked for; its times are those of a server with more to do. */
const isCount = (key: string): boolean => /^(?:writes|events|conflicts|requests)(?:_|$)/.test(key);

/** The counts of a run by the audit log of the server. */
export async function audited(options: RunOptions): Promise<Result> {
  const result = await onFreshWorld(options, (world) => runScale(world, options), { audit: true });
  return Object.fromEntries(Object.entries(result).filter(([key]) => isCount(key)));
}

export const calibration = (
  { cluster, nodes, say }: Pick<RunOptions, 'cluster' | 'nodes' | 'say'>,
  requests: number,
): Promise<Result> =>
  onFreshWorld({ cluster, nodes, limits: limitsS2 }, (world) =>
    runCalibration(world, { requests, say }),
  );

/** A deploy and a deletion with so many requests in flight. */
export const sweepStep = (options: RunOptions, inFlight: number): Promise<Result> =>
  onFreshWorld({ ...options, inFlight }, async (world) => ({
    in_flight: inFlight,
    ...(await runScale(world, { ...options, isShort: true })),
  }));
