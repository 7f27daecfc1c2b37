// Runs on fresh clusters, put together: floor and scale as pairs, the audited run beside the timed
// ones, the calibration, the sweep over requests in flight. Commands and report call it.
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { Limit } from '#test/cluster/commands.ts';
import { collectEvidence } from '#test/support/evidence.ts';
import { runCalibration } from './calibration.ts';
import { type ChurnOptions, runChurn } from './churn/churn.ts';
import { runFloor } from './floor.ts';
import { runUpdateFloor } from './floor-update.ts';
import { Harness, type Measure, type Phase } from './harness.ts';
import { PhaseProfiler } from './profiler.ts';
import { type Product, thisProduct } from './product.ts';
import { runScale } from './scale.ts';
import { ratios, type Result } from './statistics.ts';
import { RunFolder, runsFolder } from './timeline.ts';
import { runUpdate } from './update.ts';
import type { Split } from './workload.ts';
import { type Site, startWorld, type World, type WorldOptions } from './world.ts';

export interface Settings {
  readonly cluster: 'embedded' | 'real';
  readonly nodes: number;
  readonly limits: Limits;
  readonly inFlight?: number | undefined;
  readonly quietSeconds?: number;
  readonly audit?: boolean;
  /** Takes profiles of the controller in every phase. */
  readonly isProfiled?: boolean;
  /** Opens the inspector of the controller; profiles need it too. */
  readonly isInspected?: boolean;
  /** For each milestone, before the run fails. */
  readonly patienceSeconds?: number;
  /** Absent: the files as they are. */
  readonly product?: Product | undefined;
  readonly configuration?: JsonObject | undefined;
  /** Controllers have the permissions that the chart grants; absent: all. */
  readonly isGranted?: boolean | undefined;
  /** Variables of the controller, besides ours. */
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Folder of the runs; absent: the usual one. */
  readonly out?: string | undefined;
  readonly say: (line: string) => void;
}

export interface RunOptions extends Settings {
  readonly replicas: number;
  readonly floorInFlight: number;
  readonly idleSeconds: number;
  readonly quietSeconds: number;
  readonly steadySeconds?: number | undefined;
  /** A deploy and a deletion, and nothing between them. */
  readonly isShort?: boolean;
  /** Absent: one set has all replicas. */
  readonly split?: Split | undefined;
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

/** The phases of a run so far. */
interface Trace {
  phases: () => readonly Phase[];
}

/** Every run: a fresh place, and what it leaves in a folder of its own. */
export async function onFresh<Place extends Site>(
  benchmark: string,
  options: Settings,
  start: (options: WorldOptions) => Promise<Place>,
  act: (place: Place, trace: Trace, folder: string) => Promise<Result>,
): Promise<Result> {
  const { say, out = runsFolder, quietSeconds: _, ...settings } = options;
  const { product = await thisProduct(), limits, ...place } = settings;
  const { commit } = product;
  const folder = new RunFolder(out, { benchmark, commit, settings: { ...place, limits } });
  const { name: _name, ...limit } = limits;
  const site = await start({
    ...place,
    product,
    ...limit,
    isInspected: place.isInspected ?? place.isProfiled,
  });
  const trace: Trace = { phases: () => [] };
  try {
    const result = await act(site, trace, folder.path);
    folder.write(trace.phases());
    say(`timeline: ${folder.path}`);
    return result;
  } catch (error) {
    folder.write(trace.phases(), error);
    await collectEvidence(benchmark, site.scene, folder.path);
    throw error;
  } finally {
    await site.stop();
  }
}

/** Who looks on at the phases, if anybody is to. */
export const companionOf = (
  { inspector }: Pick<Site, 'inspector'>,
  { isProfiled = false, say }: Pick<Settings, 'isProfiled' | 'say'>,
  folder: string,
): PhaseProfiler | undefined =>
  isProfiled ? new PhaseProfiler({ inspector, folder, say }) : undefined;

/** The same with an observer and its harness. */
export const onFreshWorld = (
  benchmark: string,
  options: Settings,
  act: (world: World, measure: Measure) => Promise<Result>,
): Promise<Result> =>
  onFresh(benchmark, options, startWorld, (world, trace, folder) => {
    const { quietSeconds = 0, say } = options;
    const companion = companionOf(world, options, folder);
    const measure: Measure = (requests = world.requests) => {
      const harness = new Harness({ ...world, requests }, { quietSeconds, companion, say });
      trace.phases = () => harness.phases;
      return harness;
    };
    return act(world, measure);
  });

export const floor = (options: RunOptions): Promise<Result> =>
  onFreshWorld('floor', options, (world, measure) =>
    runFloor(world, measure, {
      replicas: options.replicas,
      inFlight: options.floorInFlight,
      rate: options.limits.limit,
    }),
  );

export const scale = (options: RunOptions): Promise<Result> =>
  onFreshWorld(options.isShort === true ? 'scale-short' : 'scale', options, (world, measure) =>
    runScale(world, measure(), options),
  );

/** Floor and scale on fresh clusters, one after the other, and their ratios. The order alternates
 *  from pair to pair, so that a machine that grows slower favours neither. */
export const pair = (options: RunOptions, index: number): Promise<Result> =>
  inPair(
    index % 2 === 0,
    () => floor(options),
    () => scale(options),
  );

export async function inPair(
  isFloorFirst: boolean,
  runLeast: () => Promise<Result>,
  run: () => Promise<Result>,
): Promise<Result> {
  const before = isFloorFirst ? await runLeast() : undefined;
  const ours = await run();
  const least = before ?? (await runLeast());
  return { ...least, ...ours, ...ratios(ours, least) };
}

export type UpdateOptions = Omit<RunOptions, 'idleSeconds'>;

/** A rolling update by the floor and by the controller, in an order that a coin decides. */
export const updatePair = (options: UpdateOptions): Promise<Result> =>
  inPair(
    Math.random() < 0.5,
    () =>
      onFreshWorld('update-floor', options, (world, measure) =>
        runUpdateFloor(world, measure, {
          replicas: options.replicas,
          inFlight: options.floorInFlight,
        }),
      ),
    () => onFreshWorld('update', options, (world, measure) => runUpdate(world, measure(), options)),
  );

/** What an audited run is asked for; its times are those of a server with more to do. */
const isCount = (key: string): boolean => /^(?:writes|events|conflicts|requests)(?:_|$)/.test(key);

/** The counts of a run by the audit log of the server. */
export async function audited(options: RunOptions): Promise<Result> {
  const result = await scale({ ...options, audit: true });
  return Object.fromEntries(Object.entries(result).filter(([key]) => isCount(key)));
}

export const calibration = (
  options: Pick<RunOptions, 'cluster' | 'nodes' | 'say' | 'out'>,
  requests: number,
): Promise<Result> =>
  onFreshWorld('calibration', { ...options, limits: limitsS2 }, (world, measure) =>
    runCalibration(world, measure, { requests, say: options.say }),
  );

/** A deploy and a deletion. */
export const scaleShort = (options: RunOptions): Promise<Result> =>
  scale({ ...options, isShort: true });

/** The same with so many requests in flight. */
export const sweepStep = async (options: RunOptions, inFlight: number): Promise<Result> => ({
  in_flight: inFlight,
  ...(await scaleShort({ ...options, inFlight })),
});

/** The phases of its many cycles are for the timeline alone. */
export const churn = (
  options: Omit<Settings, 'limits'> & ChurnOptions & { readonly quietSeconds: number },
): Promise<Result> =>
  onFreshWorld(
    'churn',
    { ...options, limits: limitsS2, isInspected: true, say: () => {} },
    (world, measure) => runChurn(world, measure(), options),
  );
