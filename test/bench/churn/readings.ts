// What the controller holds at a moment of rest, seen from outside: the heap after a collection and
// the timers by its inspector, the sockets by the kernel, the actors by its metrics.
import { readdir, readlink } from 'node:fs/promises';
import type { Runtime } from 'node:inspector';
import { join } from 'node:path';
import type { Controller } from '../controller.ts';
import { InspectorSession } from '../inspector.ts';

export interface Readings {
  /** Used by what lives. */
  readonly heap_mb: number;
  /** With that of the inspector. */
  readonly sockets: number;
  /** Those that keep the process alive. */
  readonly timers: number;
  readonly actors: number;
}

export class Reader {
  readonly #controller: Controller;
  readonly #session: InspectorSession;

  private constructor(controller: Controller, session: InspectorSession) {
    this.#controller = controller;
    this.#session = session;
  }

  /** Of a controller that was started with its inspector. */
  static async open(controller: Controller): Promise<Reader> {
    if (controller.inspector === undefined) throw new Error('the controller has no inspector');
    return new Reader(controller, await InspectorSession.connect(controller.inspector));
  }

  async read(): Promise<Readings> {
    const [sockets, metrics] = await Promise.all([
      socketsOf(this.#controller.pid),
      this.#controller.metrics(),
    ]);
    const timers = await this.#timers();
    await this.#session.post('HeapProfiler.collectGarbage');
    const { usedSize } = (await this.#session.post('Runtime.getHeapUsage')) as { usedSize: number };
    const heap_mb = Math.round((usedSize / 2 ** 20) * 100) / 100;
    return { heap_mb, sockets, timers, actors: metrics.sum('coppice_actors') };
  }

  close(): void {
    this.#session.close();
  }

  async #timers(): Promise<number> {
    const expression = "process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length";
    const answer = await this.#session.post('Runtime.evaluate', { expression });
    return Number((answer as Runtime.EvaluateReturnType).result.value);
  }
}

/** Linux. */
async function socketsOf(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(join(folder, fd)).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith('socket:')).length;
}
