// Arguments of `npm run bench` to a typed command, or a UsageError whose sentence says what is
// wrong and what would be right. Called by main.ts alone.
import { didYouMean } from '#src/config/nearest.ts';
import { Arguments, choice, integer, UsageError } from './arguments.ts';
import { type CommandName, commands } from './flags.ts';
import { type PartName, partNames } from './report/parts.ts';
import { type Limits, limitsOf, limitsS1, limitsS2 } from './runs.ts';

interface Load {
  readonly cluster: 'embedded' | 'real';
  readonly nodes: number;
  readonly replicas: number;
  readonly limits: Limits;
  readonly repeat: number;
  readonly floorInFlight: number;
  readonly idleSeconds: number;
  readonly quietSeconds: number;
}

export type BenchCommand =
  | { readonly command: 'help' }
  | (Load & {
      readonly command: 'scale';
      readonly withFloor: boolean;
      readonly audit: boolean;
      readonly inFlight: number | undefined;
      readonly calibrationRequests: number;
    })
  | (Load & { readonly command: 'floor' })
  | (Pick<Load, 'cluster' | 'nodes'> & { readonly command: 'calibrate'; readonly requests: number })
  | (Load & { readonly command: 'sweep'; readonly steps: readonly number[] })
  | ReportCommand;

export interface ReportCommand {
  readonly command: 'report';
  readonly only: readonly PartName[];
  readonly resume: boolean;
  readonly fromResults: boolean;
  readonly repeat: number;
  readonly replicas: number;
  readonly nodes: number;
  /** Folder for results and page; absent: those of the repository. */
  readonly results: string | undefined;
  readonly steps: readonly number[];
  readonly floorInFlight: number;
  readonly idleSeconds: number;
  readonly quietSeconds: number;
  readonly calibrationRequests: number;
}

const defaultSteps = [1, 2, 4, 8, 16, 32, 64, 128];

/** Throws a UsageError. */
export function readCommand(argv: readonly string[]): BenchCommand {
  const [name = 'help', ...args] = argv;
  if (['help', '--help', '-h'].includes(name)) return { command: 'help' };
  if (args.includes('--help') || args.includes('-h')) return { command: 'help' };
  if (!isCommandName(name)) {
    const others = didYouMean(name, Object.keys(commands));
    throw new UsageError(`no command "${name}"${others}; see --help`);
  }
  const flags = new Arguments(name, args);
  switch (name) {
    case 'scale':
      return readScale(flags);
    case 'floor':
      return { command: 'floor', ...readLoad(flags) };
    case 'calibrate':
      return {
        command: 'calibrate',
        ...readPlace(flags),
        requests: flags.integer('requests', 500),
      };
    case 'sweep':
      return { command: 'sweep', ...readLoad(flags), steps: readSteps(flags) };
    case 'report':
      return readReport(flags);
  }
}

const isCommandName = (name: string): name is CommandName => Object.hasOwn(commands, name);

function readScale(flags: Arguments): BenchCommand {
  const load = readLoad(flags);
  const audit = flags.has('audit');
  if (audit && load.cluster !== 'real') {
    throw new UsageError('--audit is for --cluster real: the embedded cluster counts in any run');
  }
  return {
    command: 'scale',
    ...load,
    audit,
    withFloor: flags.has('with-floor'),
    inFlight: flags.has('in-flight') ? flags.integer('in-flight', 1, inFlightBounds) : undefined,
    calibrationRequests: flags.integer('calibration-requests', 500, { least: 0, most: 100_000 }),
  };
}

const inFlightBounds = { least: 1, most: 1024 };

const readPlace = (flags: Arguments): Pick<Load, 'cluster' | 'nodes'> => ({
  cluster: flags.choice('cluster', ['embedded', 'real'], 'embedded'),
  nodes: flags.integer('nodes', 100, { least: 1, most: 10_000 }),
});

const readLoad = (flags: Arguments): Load => ({
  ...readPlace(flags),
  replicas: readReplicas(flags),
  limits: readLimits(flags),
  repeat: flags.integer('repeat', 1, { least: 1, most: 100 }),
  ...readPace(flags),
});

const readReplicas = (flags: Arguments): number =>
  flags.integer('replicas', 500, { least: 1, most: 5000 });

const readPace = (
  flags: Arguments,
): Pick<Load, 'floorInFlight' | 'idleSeconds' | 'quietSeconds'> => ({
  floorInFlight: flags.integer('floor-in-flight', 64, inFlightBounds),
  idleSeconds: flags.integer('idle-seconds', 60, { least: 0, most: 86_400 }),
  quietSeconds: flags.integer('quiet-seconds', 3, { least: 1, most: 600 }),
});

function readLimits(flags: Arguments): Limits {
  if (flags.has('qps') !== flags.has('burst')) {
    throw new UsageError('--qps and --burst go together, like --qps 100 --burst 150');
  }
  if (!flags.has('qps')) {
    return flags.choice('limits', ['S1', 'S2'], 'S2') === 'S1' ? limitsS1 : limitsS2;
  }
  if (flags.has('limits')) throw new UsageError('--limits cannot go with --qps: leave out one');
  const limit = { qps: flags.integer('qps', 1), burst: flags.integer('burst', 1) };
  const isS1 = limit.qps === limitsS1.limit?.qps && limit.burst === limitsS1.limit.burst;
  return isS1 ? limitsS1 : limitsOf(limit);
}

const readSteps = (flags: Arguments): readonly number[] =>
  flags
    .list('in-flight', defaultSteps.map(String))
    .map((word) => integer('in-flight', word, inFlightBounds));

const readReport = (flags: Arguments): ReportCommand => ({
  command: 'report',
  only: flags.list('only', partNames).map((word) => choice('only', word, partNames)),
  resume: flags.has('resume'),
  fromResults: flags.has('from-results'),
  repeat: flags.integer('repeat', 5, { least: 1, most: 100 }),
  replicas: readReplicas(flags),
  nodes: flags.integer('nodes', 100, { least: 1, most: 10_000 }),
  results: flags.text('results'),
  steps: readSteps(flags),
  ...readPace(flags),
  calibrationRequests: flags.integer('calibration-requests', 500, { least: 1, most: 100_000 }),
});
