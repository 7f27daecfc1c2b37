// A worker: the request path of an activator in a thread of its own, which asks the process for the
// pod of each request. Started by thread.ts.
import type { MessagePort } from 'node:worker_threads';
import { PodClients } from '../proxy/pods.ts';
import { requestLogOf } from '../proxy/request-log.ts';
import { type RequestPath, startRequestPath } from '../proxy/start.ts';
import { type FromWorker, Outbox, type ToWorker, type WorkerSetup } from './messages.ts';
import { RemoteRevisions } from './revisions.ts';

export type WorkerPort = Pick<MessagePort, 'postMessage' | 'on' | 'close'>;

/** Ends when the process says so; what it cannot start with, it tells. */
export async function serveAsWorker(port: WorkerPort, setup: WorkerSetup): Promise<void> {
  const outbox = new Outbox<FromWorker>((batch) => port.postMessage(batch));
  const { say } = outbox;
  const revisions = new RemoteRevisions(say);
  const pods = new PodClients();
  let { health } = setup;
  const started = startRequestPath({
    plane: revisions,
    demand: revisions,
    figures: revisions.figures,
    pods,
    rules: revisions.rules,
    podNameOf: revisions.podNameOf,
    ...requestLogOf(setup.requestLogTemplate),
    log: (...line) => say({ type: 'log', line }),
    health: (at) => (at.startsWith('/livez') ? health.live : health.ready),
    listen: { ...setup.listen, isShared: true },
    limits: setup.limits,
  });
  const stop = async (path: RequestPath): Promise<void> => {
    await path.stop();
    await pods.close();
    outbox.flush();
    port.close();
  };
  const hear = (message: ToWorker): void => {
    switch (message.type) {
      case 'health':
        ({ health } = message);
        return say({ type: 'alive' });
      case 'drain':
        return void started.then((path) => path.drain()).then(() => say({ type: 'drained' }));
      case 'stop':
        return void started.then(stop);
      default:
        revisions.hear(message);
    }
  };
  port.on('message', (batch: readonly ToWorker[]) => batch.forEach(hear));
  try {
    say({ type: 'listens', ports: (await started).ports });
  } catch (error) {
    say({ type: 'unable', message: error instanceof Error ? error.message : String(error) });
    outbox.flush();
    port.close();
  }
}
