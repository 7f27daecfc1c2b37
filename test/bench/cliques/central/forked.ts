// The centre of each strategy as the benchmark holds it: a process of the benchmark's own, or the
// product's controller.
import { fileURLToPath } from 'node:url';
import type { RequestCounts } from '../../requests.ts';
import { Child } from '../process/child.ts';
import type { Strategy } from '../strategies.ts';
import type { Central, CentralWorld } from './central.ts';
import type { OwnMode } from './own.ts';
import { ProductCentral } from './product.ts';

const main = fileURLToPath(new URL('./main.ts', import.meta.url));

export type MakeCentral = (mode: Strategy['central']) => Central;

export const forkedCentral: MakeCentral = (mode) =>
  mode === 'product' ? new ProductCentral() : new ForkedCentral(mode);

class ForkedCentral implements Central {
  readonly #child = new Child(main);
  readonly #mode: OwnMode;

  constructor(mode: OwnMode) {
    this.#mode = mode;
  }

  get pids(): ReadonlyMap<string, number> {
    return new Map([['central', this.#child.pid]]);
  }

  async start(world: CentralWorld): Promise<void> {
    await this.#child.ask('start', { mode: this.#mode, world });
  }

  async requests(): Promise<RequestCounts> {
    return (await this.#child.ask('requests')) as RequestCounts;
  }

  stop(): Promise<void> {
    return this.#child.stop();
  }
}
