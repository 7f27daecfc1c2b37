// Daemons of ComputeDomains as far as the controller sees them: one that has started writes its
// clique on its own pod (spec compute-domain 3.2, step 3). Its row is the controller's, and the
// kubelet says when it is ready. Part of the plug-in (index.ts).
import { domainLabel, label } from '#machines/nvidia/objects/labels.ts';
import { objectAt, objectsAt, textAt, textsAt } from '#machines/kubernetes/fields.ts';
import type { Stored } from '../../contract.ts';
import {
  isTerminating,
  keyOf,
  nameOf,
  namespaceOf,
  nodeOf,
  okOrGone,
} from '../../controllers/client.ts';
import type { Controller, ControllerContext } from '../../controllers/options.ts';
import { WorkQueue } from '../../controllers/work-queue.ts';
import { cliqueOf } from './fabric.ts';

const pods = '/api/v1/pods';

export class Daemons implements Controller {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #stop: () => void;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#queue = new WorkQueue({
      clock: context.clock,
      parallel: 16,
      work: (key) => this.#work(key),
      failed: (pod, error) =>
        context.log('warn', 'a daemon cannot say its clique', { pod, error: String(error) }),
    });
    this.#stop = context.informers.at(pods).listen({
      seen: (pod) => {
        if (isSilent(pod)) this.#queue.add(keyOf(pod));
      },
    });
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  stop(): void {
    this.#queue.stop();
    this.#stop();
  }

  async #work(key: string): Promise<void> {
    const { client, informers } = this.#context;
    const pod = informers.at(pods).get(key);
    if (pod === undefined || !isSilent(pod)) return;
    const clique = cliqueOf(informers.at('/api/v1/nodes').get(`/${nodeOf(pod)}`));
    const path = `/api/v1/namespaces/${namespaceOf(pod)}/pods/${nameOf(pod)}`;
    const metadata = { uid: pod.metadata['uid'] ?? '', labels: { [label.clique]: clique } };
    okOrGone('clique of a daemon', await client.mergePatch(path, { metadata }));
  }
}

const isOfDaemonSet = ({ metadata }: Stored): boolean =>
  objectsAt(metadata, 'ownerReferences').some((owner) => textAt(owner, 'kind') === 'DaemonSet');

/** It is of a DaemonSet, has started and not said yet. */
function isSilent(pod: Stored): boolean {
  const labels = textsAt(pod.metadata, 'labels');
  return (
    labels[domainLabel] !== undefined &&
    isOfDaemonSet(pod) &&
    labels[label.clique] === undefined &&
    textAt(objectAt(pod, 'status'), 'phase') === 'Running' &&
    !isTerminating(pod)
  );
}
