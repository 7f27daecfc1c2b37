// Simulated daemons as the benchmark holds them, in the process that holds them: one population at
// a time. main.ts does so in a process of its own; tests do it in theirs.
import { Population, type PopulationOrder, type PopulationReport } from './population.ts';

export interface Daemons {
  /** Of its own process, if it has one. */
  readonly pid: number | undefined;
  /** Resolves when all watches are there. */
  open(order: PopulationOrder): Promise<void>;
  /** Lets all join at this moment of the machine's clock. */
  go(atMs: number): Promise<void>;
  /** Resolves when all have seen everything. */
  finished(): Promise<void>;
  report(): Promise<PopulationReport>;
  /** Ends the daemons; others may be opened. */
  close(): Promise<void>;
  stop(): Promise<void>;
}

export class OwnDaemons implements Daemons {
  readonly pid = undefined;
  #population: Population | undefined;

  open = async (order: PopulationOrder): Promise<void> => {
    this.#population = await Population.open(order);
  };

  go = (atMs: number): Promise<void> => Promise.resolve(this.#open.go(atMs));

  finished = (): Promise<void> => this.#open.finished;

  report = (): Promise<PopulationReport> => Promise.resolve(this.#open.report());

  close = async (): Promise<void> => {
    await this.#population?.close();
    this.#population = undefined;
  };

  stop = (): Promise<void> => this.close();

  get #open(): Population {
    if (this.#population === undefined) throw new Error('no daemons were opened');
    return this.#population;
  }
}
