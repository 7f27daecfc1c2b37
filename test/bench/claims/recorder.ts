// The phases of a run of claims, in the shape of the other benchmarks' timelines: what was used and
// written from the begin of each to its end, which is a moment that matters here and not the quiet
// after it.
import type { Companion, Phase } from '../harness.ts';
import { machineMs } from '../observer/claims.ts';
import { type RequestCounts, since } from '../requests.ts';
import { between, type Usages } from '../usage.ts';

export interface Readings {
  usages(): Promise<Usages>;
  requests(): Promise<RequestCounts>;
}

export class Recorder {
  readonly #readings: Readings;
  readonly #companion: Companion | undefined;
  readonly #begun = machineMs();
  readonly #phases: Phase[] = [];
  #last: Reading | undefined;

  constructor(readings: Readings, companion?: Companion) {
    this.#readings = readings;
    this.#companion = companion;
  }

  get phases(): readonly Phase[] {
    return this.#phases;
  }

  /** After a pause, in which nothing counts. */
  async phase(name: string, act: Act): Promise<Phase> {
    this.#last = await this.#read();
    return this.next(name, act);
  }

  /** Begins where the phase before it has ended, so that nothing is lost between the two. */
  async next(name: string, act: Act): Promise<Phase> {
    const first = this.#last ?? (await this.#read());
    await this.#companion?.begin(name);
    const begun = machineMs();
    const milestones = await act(begun);
    const ended = machineMs();
    const last = await this.#read();
    this.#last = last;
    await this.#companion?.end(name);
    const phase = {
      phase: name,
      start: seconds(this.#begun, begun),
      end: seconds(this.#begun, ended),
      milestones,
      usages: between(first.usages, last.usages),
      requests: since(first.requests, last.requests),
    };
    this.#phases.push(phase);
    return phase;
  }

  async #read(): Promise<Reading> {
    const { requests, usages } = this.#readings;
    const [sent, used] = await Promise.all([requests(), usages()]);
    return { requests: sent, usages: used };
  }
}

interface Reading {
  readonly requests: RequestCounts;
  readonly usages: Usages;
}

/** Is given the begin of the phase and resolves with its milestones, in seconds. */
type Act = (begunMs: number) => Promise<Readonly<Record<string, number>>>;

export const seconds = (from: number, to: number): number => Math.round((to - from) / 10) / 100;
