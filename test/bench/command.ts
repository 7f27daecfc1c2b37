// Arguments of `npm run bench` to a typed command, or a UsageError whose sentence says what is
// wrong and what would be right. Called by main.ts alone.
import { didYouMean } from '#src/config/nearest.ts';
import { Arguments, choice, integer, UsageError } from './arguments.ts';
import { type AdmissionCommand, readAdmission } from './admission/settings.ts';
import { type ActivatorMicroCommand, readActivatorMicro } from './activator/settings.ts';
import { type CoresCommand, readCores } from './cores/settings.ts';
import { type CommandName, commands } from './flags.ts';
import { usualChurn } from './churn/churn.ts';
import { type ClaimsCommand, readClaims } from './claims/settings.ts';
import { type CliquesCommand, readCliques } from './cliques/settings.ts';
import { type Head, readHead } from './compare/settings.ts';
import { type PickCommand, usualPick } from './pick.ts';
import { type ProxyCommand, readProxy } from './proxy/settings.ts';
import { type GrowthCommand, readGrowth } from './growth/settings.ts';
import { partNames, type ReportCommand } from './report/parts.ts';
import { type Limits, limitsOf, limitsS1, limitsS2 } from './runs.ts';
import { readViewers, type ViewersCommand } from './viewers/settings.ts';

interface Load {
  readonly cluster: 'embedded' | 'real';
  readonly nodes: number;
  readonly replicas: number;
  readonly limits: Limits;
  readonly repeat: number;
  readonly out: string | undefined;
  readonly floorInFlight: number;
  readonly idleSeconds: number;
  readonly quietSeconds: number;
  readonly patienceSeconds: number;
}

type Place = Pick<Load, 'cluster' | 'nodes' | 'out'>;

export type BenchCommand =
  | { readonly command: 'help' }
  | (Load & {
      readonly command: 'scale';
      readonly isShort: boolean;
      readonly withFloor: boolean;
      readonly audit: boolean;
      readonly isProfiled: boolean;
      readonly steadySeconds: number | undefined;
      readonly inFlight: number | undefined;
      readonly calibrationRequests: number;
    })
  | (Load & { readonly command: 'floor' })
  | (Place & { readonly command: 'calibrate'; readonly requests: number })
  | (Load & { readonly command: 'sweep'; readonly steps: readonly number[] })
  | ClaimsCommand
  | ChurnCommand
  | UpdateCommand
  | CompareCommand
  | CliquesCommand
  | PickCommand
  | ActivatorMicroCommand
  | CoresCommand
  | ProxyCommand
  | AdmissionCommand
  | GrowthCommand
  | ViewersCommand
  | ReportCommand;

export interface ChurnCommand extends Place {
  readonly command: 'churn';
  readonly replicas: number;
  readonly minutes: number;
  readonly cycles: number | undefined;
  readonly floorInFlight: number;
  readonly quietSeconds: number;
  readonly patienceSeconds: number;
}

export interface UpdateCommand extends Omit<Load, 'repeat'> {
  readonly command: 'update';
  readonly isProfiled: boolean;
  readonly pairs: number;
}

export interface CompareCommand extends Omit<Load, 'repeat'>, Head {
  readonly command: 'compare';
  /** Revisions as git knows them, or `.` for the files as they are. */
  readonly base: string;
  readonly head: string;
  readonly set: SetName;
  readonly pairs: number;
  /** Percent. */
  readonly limit: number;
}

/** What a comparison may be made of. */
const sets = {
  s2: { cluster: 'real', limits: limitsS2 },
  s1: { cluster: 'real', limits: limitsS1 },
  embedded: { cluster: 'embedded', limits: limitsS2 },
} as const satisfies Readonly<Record<string, Pick<Load, 'cluster' | 'limits'>>>;
type SetName = keyof typeof sets;
const setNames = ['s2', 's1', 'embedded'] as const satisfies readonly SetName[];

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
    case 'claims':
      return readClaims(flags, readPlace(flags, 'real'), readPace(flags));
    case 'churn':
      return readChurn(flags);
    case 'update':
      return readUpdate(flags);
    case 'compare':
      return readCompare(flags);
    case 'cliques':
      return readCliques(flags);
    case 'pick':
      return readPick(flags);
    case 'activator-micro':
      return readActivatorMicro(flags);
    case 'activator-cores':
      return readCores(flags);
    case 'activator-proxy':
      return readProxy(flags);
    case 'growth':
      return readGrowth(flags, { ...readPlace(flags, 'real'), ...readPace(flags) });
    case 'admission':
      return readAdmission(flags, readOut(flags));
    case 'inspector':
      return readViewers(flags, readPlace(flags, 'real'));
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
    isShort: flags.has('short'),
    audit,
    isProfiled: flags.has('profile'),
    steadySeconds:
      flags.has('profile') || flags.has('steady-seconds')
        ? flags.integer('steady-seconds', 30)
        : undefined,
    withFloor: flags.has('with-floor'),
    inFlight: flags.has('in-flight') ? flags.integer('in-flight', 1, inFlightBounds) : undefined,
    calibrationRequests: flags.integer('calibration-requests', 500, { least: 0, most: 100_000 }),
  };
}

const inFlightBounds = { least: 1, most: 1024 };

const readPlace = (flags: Arguments, usual: Place['cluster'] = 'embedded'): Place => ({
  cluster: flags.choice('cluster', ['embedded', 'real'], usual),
  nodes: readNodes(flags),
  out: readOut(flags),
});

const readNodes = (flags: Arguments): number =>
  flags.integer('nodes', 100, { least: 1, most: 10_000 });

const readOut = (flags: Arguments): string | undefined => flags.text('out');

const readLoad = (flags: Arguments): Load => ({
  ...readPlace(flags),
  replicas: readReplicas(flags),
  limits: readLimits(flags),
  repeat: flags.integer('repeat', 1, { least: 1, most: 100 }),
  ...readPace(flags),
});

const readReplicas = (flags: Arguments, usual = 500): number =>
  flags.integer('replicas', usual, { least: 1, most: 5000 });

const readPairs = (flags: Arguments): number => flags.integer('pairs', 3, { least: 1, most: 100 });

const readPace = (
  flags: Arguments,
): Pick<Load, 'floorInFlight' | 'idleSeconds' | 'quietSeconds' | 'patienceSeconds'> => ({
  floorInFlight: flags.integer('floor-in-flight', 64, inFlightBounds),
  idleSeconds: flags.integer('idle-seconds', 60, { least: 0, most: 86_400 }),
  quietSeconds: flags.integer('quiet-seconds', 3, { least: 1, most: 600 }),
  patienceSeconds: flags.integer('patience-seconds', 600, { least: 1, most: 86_400 }),
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

function readChurn(flags: Arguments): ChurnCommand {
  const { idleSeconds: _, ...pace } = readPace(flags);
  return {
    command: 'churn',
    ...pace,
    cluster: flags.choice('cluster', ['embedded', 'real'], 'real'),
    nodes: readNodes(flags),
    out: readOut(flags),
    replicas: flags.integer('replicas', usualChurn.replicas, { least: 2, most: 5000 }),
    minutes: flags.integer('minutes', usualChurn.minutes, { least: 1, most: 10_000 }),
    cycles: flags.has('cycles') ? flags.integer('cycles', 1) : undefined,
    quietSeconds: flags.integer('quiet-seconds', usualChurn.quietSeconds, { least: 1, most: 600 }),
  };
}

const readUpdate = (flags: Arguments): UpdateCommand => ({
  command: 'update',
  ...readPlace(flags, 'real'),
  replicas: readReplicas(flags, 100),
  limits: limitsS2,
  isProfiled: flags.has('profile'),
  pairs: readPairs(flags),
  ...readPace(flags),
});

function readCompare(flags: Arguments): CompareCommand {
  const set = flags.choice('set', setNames, 's2');
  const [base = '', head = ''] = flags.operands;
  return {
    command: 'compare',
    base,
    head,
    set,
    ...sets[set],
    pairs: readPairs(flags),
    limit: flags.integer('limit', 20, { least: 1, most: 1000 }),
    ...readHead(flags, set === 'embedded'),
    replicas: readReplicas(flags),
    nodes: readNodes(flags),
    out: readOut(flags),
    ...readPace(flags),
  };
}

const readPick = (flags: Arguments): PickCommand => ({
  command: 'pick',
  nodes: flags
    .list('nodes', usualPick.nodes.map(String))
    .map((word) => integer('nodes', word, { least: 1, most: 10_000 })),
  repeat: flags.integer('repeat', usualPick.repeat, { least: 1, most: 1000 }),
});

const readReport = (flags: Arguments): ReportCommand => ({
  command: 'report',
  only: flags.list('only', partNames).map((word) => choice('only', word, partNames)),
  resume: flags.has('resume'),
  fromResults: flags.has('from-results'),
  repeat: flags.integer('repeat', 5, { least: 1, most: 100 }),
  replicas: readReplicas(flags),
  nodes: readNodes(flags),
  out: readOut(flags),
  results: flags.text('results'),
  steps: readSteps(flags),
  ...readPace(flags),
  calibrationRequests: flags.integer('calibration-requests', 500, { least: 1, most: 100_000 }),
});
