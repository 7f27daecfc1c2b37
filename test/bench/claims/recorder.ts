// The phases of a run of claims, in the shape of the other benchmarks' timelines: what was used and
// written from the begin of each to its end, which is a moment that matters here and not the quiet
// after it.
import type { Phase } from '../harness.ts';
import { machineMs } from '../observer/claims.ts';
import { type RequestCounts, since } from '../requests.ts';
import { between, type Usages } from '../usage.ts';

export interface Readings {
  usages(): Promise<Usages>;
  requests(): Promise<RequestCounts>;
}

export class Recorder {
  readonly #readings: Readings;
  readonly #begun = machineMs();
  readonly #phases: Phase[] = [];

  constructor(readings: Readings) {
    this.#readings = readings;
  }

  get phases(): readonly Phase[] {
    return this.#phases;
  }

  /** `act` is given the begin of the phase and resolves with its milestones, in seconds. */
  async phase(
    name: string,
    act: (begunMs: number) => Promise<Readonly<Record<string, number>>>,
  ): Promise<Phase> {
    const [requests, usages] = await this.#read();
    const begun = machineMs();
    const milestones = await act(begun);
    const ended = machineMs();
    const [later, used] = await this.#read();
    const phase = {
      phase: name,
      start: seconds(this.#begun, begun),
      end: seconds(this.#begun, ended),
      milestones,
      usages: between(usages, used),
      requests: since(requests, later),
    };
    this.#phases.push(phase);
    return phase;
  }

  #read(): Promise<[RequestCounts, Usages]> {
    return Promise.all([this.#readings.requests(), this.#readings.usages()]);
  }
}

export const seconds = (from: number, to: number): number => Math.round((to - from) / 10) / 100;
