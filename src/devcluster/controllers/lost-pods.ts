// The simulated collector of lost pods: removes pods that are bound to a node that was deleted and
// did not come back, so that their owners make others. Nobody else can: their node agent is gone.
import { keyOf, nameOf, namespaceOf, nodeOf, okOrGone, uidOf } from './client.ts';
import type { Controller, ControllerContext } from './options.ts';
import { WorkQueue } from './work-queue.ts';

const nodes = '/api/v1/nodes';
const pods = '/api/v1/pods';
/** In which a node may come back. */
const quarantineMs = 40_000;

export class LostPods implements Controller {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #stop: () => void;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#queue = new WorkQueue({
      clock: context.clock,
      parallel: 4,
      work: (node) => this.#work(node),
      failed: (node, error) =>
        context.log('warn', 'removal of lost pods failed', { node, error: String(error) }),
    });
    this.#stop = context.informers.at(nodes).listen({
      gone: (node) => this.#queue.addAfter(nameOf(node), quarantineMs),
    });
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  stop(): void {
    this.#queue.stop();
    this.#stop();
  }

  async #work(node: string): Promise<void> {
    const { client, informers, log } = this.#context;
    if (informers.at(nodes).get(`/${node}`) !== undefined) return;
    for (const pod of informers.at(pods).values()) {
      if (nodeOf(pod) !== node) continue;
      log('debug', 'removing a pod of a lost node', { pod: keyOf(pod), node });
      const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}`;
      const removed = await client.remove(path, uidOf(pod), { gracePeriodSeconds: 0 });
      okOrGone('lost pod', removed);
    }
  }
}
