// A worker without a thread and without a request: a test says what it says, and looks at what it
// was told.
import { EventEmitter } from 'node:events';
import type { RequestPath } from '#src/activator/proxy/options.ts';
import type { FromWorker, ToWorker, WorkerSetup } from '#src/activator/workers/messages.ts';
import type { Thread } from '#src/activator/workers/worker-thread.ts';

export class StagedThread extends EventEmitter implements Thread {
  /** What it was told, in order. */
  readonly heard: ToWorker[] = [];
  readonly setup: WorkerSetup;
  isTerminated = false;
  /** It answers what it is told of health. */
  answers = false;

  constructor(setup: WorkerSetup) {
    super();
    this.setup = setup;
  }

  postMessage(batch: readonly ToWorker[]): void {
    this.heard.push(...batch);
    if (this.answers && batch.some(({ type }) => type === 'health')) this.says({ type: 'alive' });
    if (batch.some(({ type }) => type === 'stop')) this.die();
  }

  terminate(): Promise<number> {
    this.isTerminated = true;
    this.die();
    return Promise.resolve(1);
  }

  says(...batch: readonly FromWorker[]): void {
    this.emit('message', batch);
  }

  listens(ports: RequestPath['ports'] = { http: 8012 }): void {
    this.says({ type: 'listens', ports });
  }

  die(error?: unknown): void {
    if (error !== undefined) this.emit('error', error);
    this.emit('exit', error === undefined ? 0 : 1);
  }

  told<T extends ToWorker['type']>(type: T): readonly Extract<ToWorker, { type: T }>[] {
    return this.heard.filter((one): one is Extract<ToWorker, { type: T }> => one.type === type);
  }
}
