// The arguments of `npm run bench -- growth`, and what its figures are held to.
import { type Arguments, integer } from '../arguments.ts';

export interface GrowthCommand {
  readonly command: 'growth';
  readonly cluster: 'embedded' | 'real';
  /** Of each measurement, in order. */
  readonly pods: readonly number[];
  /** Processes of the controller; more than one share the work by leases. */
  readonly processes: readonly number[];
  readonly floorInFlight: number;
  readonly idleSeconds: number;
  readonly quietSeconds: number;
  readonly patienceSeconds: number;
  readonly out: string | undefined;
  /** Measures nothing: judges and writes the page from the results that are there. */
  readonly fromResults: boolean;
  /** Results and page stay as they are. */
  readonly isTrial: boolean;
}

const usualGrowth = { pods: [1000, 2000, 5000, 10_000], processes: [1, 3] } as const;

export const bounds = {
  /** CPU a pod at 5,000, of that at 1,000. */
  cpuGrowth: 1.15,
  /** MB of a process without pods, and KB for each. */
  rssBaseMb: 150,
  rssPodKb: 30,
  /** CPU of a deploy of 1,000 pods, of that of the floor's script. */
  floors: 2,
  /** Of the model, from what was measured. */
  modelError: 0.15,
} as const;

/** What the chart gives a process (docs/sizing.md), in MiB. */
export const memoryLimitMb = 1024;

/** Beyond what is measured. */
export const beyond = { pods: 100_000, processes: 8 } as const;

/** Of one PodCliqueSet: 500 replicas of two pods each, as in the other benchmarks. */
export const podsPerSet = 1000;

/** Simulated nodes take 110 pods each. */
export const nodesFor = (pods: number): number => Math.max(100, Math.ceil(pods / 80));

export const readGrowth = (
  flags: Arguments,
  place: Pick<GrowthCommand, 'cluster' | 'out' | 'floorInFlight' | 'quietSeconds'>,
): GrowthCommand => ({
  command: 'growth',
  cluster: place.cluster,
  out: place.out,
  floorInFlight: place.floorInFlight,
  quietSeconds: place.quietSeconds,
  pods: numbers(flags, 'pods', usualGrowth.pods, { least: 2, most: 20_000 }),
  processes: numbers(flags, 'processes', usualGrowth.processes, { least: 1, most: 16 }),
  idleSeconds: flags.integer('idle-seconds', 20, { least: 1, most: 3600 }),
  patienceSeconds: flags.integer('patience-seconds', 1800, { least: 1, most: 86_400 }),
  fromResults: flags.has('from-results'),
  isTrial: flags.has('trial'),
});

const numbers = (
  flags: Arguments,
  name: string,
  usual: readonly number[],
  bounds_: { readonly least: number; readonly most: number },
): readonly number[] =>
  flags.list(name, usual.map(String)).map((word) => integer(name, word, bounds_));
