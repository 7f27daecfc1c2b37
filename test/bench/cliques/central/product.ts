// The product at the centre (S4): its controller on a bus of its own, started as the other
// benchmarks start it. A daemon announces itself, and all else is the controller's.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findNatsServer } from '#src/natsserver/binary.ts';
import { startNatsServer } from '#src/natsserver/process.ts';
import { Programs } from '#test/support/program.ts';
import { Controller } from '../../controller.ts';
import { thisProduct } from '../../product.ts';
import type { RequestCounts } from '../../requests.ts';
import { Undoing } from '../../undoing.ts';
import { configurationOf } from '../../world.ts';
import type { Central, CentralWorld } from './central.ts';

/** So long without a request: longer than the interval in which it writes a status. */
const idleMs = 2500;

/** ComputeDomains alone; no daemon is started, so nobody pulls the image. */
const served = (driverNamespace: string) => ({
  modules: { grove: false, nvidia: true },
  computeDomains: { driverNamespace, image: 'registry.example/none:1' },
});

export class ProductCentral implements Central {
  readonly #undoing = new Undoing();
  readonly pids = new Map<string, number>();
  #controller: Controller | undefined;

  async start({ kubeconfig, limit, namespace }: CentralWorld): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-'));
    this.#undoing.add(() => rm(folder, { recursive: true, force: true }));
    const { path } = await findNatsServer();
    const nats = await startNatsServer({ binary: path, dataDir: join(folder, 'nats') });
    this.#undoing.add(() => nats.stop());
    this.pids.set('nats', nats.pid);
    const configuration = join(folder, 'controller.json');
    const settings = { ...configurationOf(nats.url, { limit }), ...served(namespace) };
    await writeFile(configuration, JSON.stringify(settings));
    const programs = new Programs();
    this.#undoing.add(() => programs.end());
    const product = await thisProduct();
    this.#controller = await Controller.start(programs, { product, configuration, kubeconfig });
    this.pids.set('central', this.#controller.pid);
  }

  /** A domain has its children made, which in production is long over when daemons join. */
  async idle(): Promise<void> {
    for (let before = ''; ;) {
      const now = JSON.stringify(await this.requests());
      if (now === before) return;
      before = now;
      await pause(idleMs);
    }
  }

  requests(): Promise<RequestCounts> {
    return this.#controller?.requests() ?? Promise.resolve({});
  }

  stop(): Promise<void> {
    return this.#undoing.stop();
  }
}
