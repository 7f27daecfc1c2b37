// The product at the centre (S4): its controller on a bus of its own, started as the other
// benchmarks start it. A daemon announces itself, and all else is the controller's.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNatsServer } from '#src/natsserver/binary.ts';
import { startNatsServer } from '#src/natsserver/process.ts';
import { Programs } from '#test/support/program.ts';
import { Controller } from '../../controller.ts';
import { thisProduct } from '../../product.ts';
import type { RequestCounts } from '../../requests.ts';
import { Undoing } from '../../undoing.ts';
import { configurationOf } from '../../world.ts';
import type { Central, CentralWorld } from './central.ts';

export class ProductCentral implements Central {
  readonly #undoing = new Undoing();
  #controller: Controller | undefined;

  get pid(): number | undefined {
    return this.#controller?.pid;
  }

  async start({ kubeconfig, limit }: CentralWorld): Promise<void> {
    const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-'));
    this.#undoing.add(() => rm(folder, { recursive: true, force: true }));
    const { path } = await findNatsServer();
    const nats = await startNatsServer({ binary: path, dataDir: join(folder, 'nats') });
    this.#undoing.add(() => nats.stop());
    const configuration = join(folder, 'controller.json');
    await writeFile(configuration, JSON.stringify(configurationOf(nats.url, { limit })));
    const programs = new Programs();
    this.#undoing.add(() => programs.end());
    const product = await thisProduct();
    this.#controller = await Controller.start(programs, { product, configuration, kubeconfig });
  }

  requests(): Promise<RequestCounts> {
    return this.#controller?.requests() ?? Promise.resolve({});
  }

  stop(): Promise<void> {
    return this.#undoing.stop();
  }
}
