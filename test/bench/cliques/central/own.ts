// The centre as the benchmark has it itself: the roll-up alone, or with the reference writer. Over
// one client with one limit, in a process of its own (main.ts) or, for tests, in that of the
// benchmark.
import type { RequestCounts } from '../../requests.ts';
import { Wire } from '../wire.ts';
import { Cache } from './cache.ts';
import type { Central, CentralWorld } from './central.ts';
import { ReferenceWriter } from './reference.ts';
import { RollUp } from './roll-up.ts';

export type OwnMode = 'roll-up' | 'each' | 'batch';

const sockets = 64;

export class OwnCentral implements Central {
  readonly pids = new Map<string, number>();
  readonly #mode: OwnMode;
  readonly #cache = new Cache();
  #wire: Wire | undefined;
  #rollUp: RollUp | undefined;

  constructor(mode: OwnMode) {
    this.#mode = mode;
  }

  async start({ access, namespace, limit, pace }: CentralWorld): Promise<void> {
    const wire = new Wire(access, { sockets, limit });
    this.#wire = wire;
    const writer =
      this.#mode === 'roll-up'
        ? undefined
        : new ReferenceWriter(wire, this.#cache, namespace, this.#mode);
    await this.#cache.open(wire, namespace, (body) => writer?.changed(body));
    this.#rollUp = new RollUp(wire, this.#cache, namespace, writer === undefined);
    this.#rollUp.start(pace.rollUpMs);
  }

  requests(): Promise<RequestCounts> {
    return Promise.resolve(this.#wire?.counts ?? {});
  }

  async stop(): Promise<void> {
    this.#rollUp?.stop();
    this.#cache.close();
    await this.#wire?.close();
  }
}
