// The simulated namespace life-cycle: makes the namespaces that every cluster has, and empties
// those that are deleted before it lets them go.
import { listAt, objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { isOk, isTerminating, nameOf, okOrGone, RetryLater, orRetryLater } from './client.ts';
import { discover } from './discovery.ts';
import type { ServedKind } from './discovery.ts';
import type { Controller, ControllerContext } from './options.ts';
import { WorkQueue } from './work-queue.ts';

const namespaces = '/api/v1/namespaces';
const initial = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];
/** Between two looks whether a namespace is empty yet. */
const lookAgainMs = 200;

export class Namespaces implements Controller {
  readonly #context: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #stop: () => void;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#queue = new WorkQueue({
      clock: context.clock,
      parallel: 4,
      work: (key) => this.#work(key),
      failed: (key, error) =>
        context.log('warn', 'namespace upkeep failed', { namespace: key, error: String(error) }),
    });
    this.#stop = context.informers.at(namespaces).listen({
      seen: (namespace) => {
        if (isTerminating(namespace)) this.#queue.add(nameOf(namespace));
      },
    });
    for (const name of initial) this.#queue.add(name);
  }

  get idle(): boolean {
    return this.#queue.idle;
  }

  stop(): void {
    this.#queue.stop();
    this.#stop();
  }

  async #work(name: string): Promise<void> {
    const namespace = this.#context.informers.at(namespaces).get(`/${name}`);
    if (namespace !== undefined && isTerminating(namespace)) await this.#empty(namespace);
    else if (namespace === undefined && initial.includes(name)) await this.#create(name);
  }

  async #create(name: string): Promise<void> {
    const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    orRetryLater('namespace', await this.#context.client.create(namespaces, body));
  }

  async #empty(namespace: Stored): Promise<void> {
    const name = nameOf(namespace);
    if (listAt(objectAt(namespace, 'spec'), 'finalizers').length === 0) return;
    const kinds = await discover(this.#context.client);
    let left = 0;
    for (const kind of kinds) {
      if (!kind.namespaced || !kind.verbs.includes('delete')) continue;
      left += await this.#emptyOf(kind, name);
    }
    if (left > 0) return this.#queue.addAfter(name, lookAgainMs);
    const { client } = this.#context;
    const answer = await client.replace(`${namespaces}/${name}/finalize`, {
      ...namespace,
      spec: { ...objectAt(namespace, 'spec'), finalizers: [] },
    });
    okOrGone('finalize', answer);
  }

  /** Deletes what is left of a kind; the number of objects that were still there. */
  async #emptyOf(kind: ServedKind, namespace: string): Promise<number> {
    const { client } = this.#context;
    const path = `${kind.base}/namespaces/${namespace}/${kind.plural}`;
    const answer = await client.get(path);
    if (answer.status === 404 || answer.status === 405) return 0;
    if (!isOk(answer)) throw new RetryLater(`list of ${kind.plural}`, answer);
    const items = objectsAt(answer.body, 'items');
    for (const item of items) {
      const metadata = objectAt(item, 'metadata');
      if (textAt(metadata, 'deletionTimestamp') !== '') continue;
      const options = { propagationPolicy: 'Background' };
      const at = `${path}/${textAt(metadata, 'name')}`;
      orRetryLater('delete', await client.remove(at, textAt(metadata, 'uid'), options));
    }
    return items.length;
  }
}
