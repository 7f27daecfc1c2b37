// The one way to measure: a run is a row of named phases, each with milestones that the observer
// times, the CPU time of every process, and what was written meanwhile. All benchmarks go through
// it; what they tell is read from their phases, and timeline.ts keeps these.
import type { Claim } from './observer/claims.ts';
import { machineMs } from './observer/claims.ts';
import type { Observer } from './observer/process.ts';
import { events, isWrite, type RequestCounts, since, writes } from './requests.ts';
import { between, type Usages } from './usage.ts';

export interface Phase {
  readonly phase: string;
  /** Seconds since the run began. */
  readonly start: number;
  readonly end: number;
  /** Seconds from the start of the phase until each came true. */
  readonly milestones: Readonly<Record<string, number>>;
  /** CPU time within the phase and peak memory until its end, by process. */
  readonly usages: Usages;
  readonly requests: RequestCounts;
}

/** By the key under which the seconds until it holds are told. */
export type Milestones = Readonly<Record<string, Claim>>;

/** Where the figures come from. */
export interface Sources {
  readonly observer: Pick<Observer, 'until'>;
  usages(): Promise<Usages>;
  /** Of what is measured, so far. */
  requests(): Promise<RequestCounts>;
}

/** Looks on at each phase from its begin to its end, e.g. takes profiles. */
export interface Companion {
  begin(phase: string): Promise<void>;
  end(phase: string): Promise<void>;
}

export interface HarnessOptions {
  /** A phase is over when nothing was written for this long. */
  readonly quietSeconds: number;
  readonly companion?: Companion | undefined;
  readonly say: (line: string) => void;
}

/** Begins the measurement of a run that counts its writes itself, or as the world does. */
export type Measure = (requests?: Sources['requests']) => Harness;

export class Harness {
  readonly #sources: Sources;
  readonly #options: HarnessOptions;
  readonly #begun = machineMs();
  readonly #phases: Phase[] = [];

  constructor(sources: Sources, options: HarnessOptions) {
    this.#sources = sources;
    this.#options = options;
  }

  /** Those that are over, in their order. */
  get phases(): readonly Phase[] {
    return this.#phases;
  }

  /** Acts, waits for the milestones, and then until nothing is written any more. */
  async phase(
    name: string,
    act: () => Promise<unknown>,
    milestones: Milestones = {},
  ): Promise<Phase> {
    const { companion, say } = this.#options;
    await companion?.begin(name);
    const [requests, usages] = await this.#readings();
    const begun = machineMs();
    const times = await this.#timed(begun, act, milestones);
    await this.#quiet();
    const ended = machineMs();
    const [later, used] = await this.#readings();
    await companion?.end(name);
    const phase = {
      phase: name,
      start: seconds(this.#begun, begun),
      end: seconds(this.#begun, ended),
      milestones: times,
      usages: between(usages, used),
      requests: since(requests, later),
    };
    this.#phases.push(phase);
    say(inWords(phase));
    return phase;
  }

  #readings(): Promise<[RequestCounts, Usages]> {
    return Promise.all([this.#sources.requests(), this.#sources.usages()]);
  }

  async #timed(
    begun: number,
    act: () => Promise<unknown>,
    milestones: Milestones,
  ): Promise<Readonly<Record<string, number>>> {
    const [rows] = await Promise.all([
      Promise.all(
        Object.entries(milestones).map(async ([key, claim]) => {
          const atMs = await this.#sources.observer.until(key, claim);
          return [key, seconds(begun, atMs)] as const;
        }),
      ),
      act(),
    ]);
    return Object.fromEntries(rows);
  }

  async #quiet(): Promise<void> {
    for (let before = -1; ;) {
      const now = writes(await this.#sources.requests());
      if (now === before) return;
      before = now;
      await pause(this.#options.quietSeconds * 1000);
    }
  }
}

function inWords({ phase, milestones, requests }: Phase): string {
  const times = Object.entries(milestones).map(([key, value]) => `${key} ${value}`);
  const list = Object.entries(requests)
    .filter(([key]) => isWrite(key))
    .map(([key, count]) => `${count} ${key}`);
  const counts = `${writes(requests)} writes, ${events(requests)} events`;
  return [`${phase}: ${[...times, counts].join(', ')}`, ...list].join('\n    ');
}

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms));

const seconds = (from: number, to: number): number => Math.round((to - from) / 10) / 100;
