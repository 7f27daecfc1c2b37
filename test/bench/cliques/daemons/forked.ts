// Simulated daemons in a process of their own, so that their CPU time can be told apart.
import { fileURLToPath } from 'node:url';
import { Child } from '../process/child.ts';
import type { Daemons } from './own.ts';
import type { PopulationOrder, PopulationReport } from './population.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

export class ForkedDaemons implements Daemons {
  readonly #child = new Child(main);

  get pid(): number {
    return this.#child.pid;
  }

  async open(order: PopulationOrder): Promise<void> {
    await this.#child.ask('open', order);
  }

  async go(atMs: number): Promise<void> {
    await this.#child.ask('go', atMs);
  }

  async finished(): Promise<void> {
    await this.#child.ask('finished');
  }

  async report(): Promise<PopulationReport> {
    return (await this.#child.ask('report')) as PopulationReport;
  }

  async close(): Promise<void> {
    await this.#child.ask('close');
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}
