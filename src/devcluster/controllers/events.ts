// Records core/v1 Events about objects of one kind, best effort, as a simulated controller sees
// them. Repeats of the same event about the same object raise its count, so a pod that waits does
// not flood the server.
import type { Clock } from '#actors/ports.ts';
import { rfc3339 } from '#machines/kubernetes/time.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { KubeClient } from './client.ts';
import { isOk, nameOf, namespaceOf, uidOf } from './client.ts';

export interface ObjectEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

const pods = { apiVersion: 'v1', kind: 'Pod' };

/** Events remembered for counting; the oldest are forgotten first. */
const remembered = 4096;

export class EventRecorder {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #component: string;
  /** The kind of the objects: items of a list do not say theirs. */
  readonly #about: { readonly apiVersion: string; readonly kind: string };
  readonly #counts = new Map<string, { name: string; count: number }>();
  #serial = 0;

  constructor(client: KubeClient, clock: Clock, component: string, about = pods) {
    this.#client = client;
    this.#clock = clock;
    this.#component = component;
    this.#about = about;
  }

  async record(object: Stored, event: ObjectEvent): Promise<void> {
    const key = `${uidOf(object)}/${event.reason}/${event.message}`;
    const path = `/api/v1/namespaces/${namespaceOf(object)}/events`;
    const lastTimestamp = rfc3339(this.#clock.now());
    const known = this.#counts.get(key);
    if (known !== undefined) {
      known.count++;
      const patch = { count: known.count, lastTimestamp };
      await this.#client.mergePatch(`${path}/${known.name}`, patch);
      return;
    }
    this.#serial++;
    const stamp = (this.#clock.now() * 1000 + this.#serial).toString(16);
    const name = `${nameOf(object).slice(0, 230)}.${stamp}`;
    const answer = await this.#client.create(path, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace: namespaceOf(object) },
      involvedObject: {
        ...this.#about,
        namespace: namespaceOf(object),
        name: nameOf(object),
        uid: uidOf(object),
      },
      ...event,
      count: 1,
      firstTimestamp: lastTimestamp,
      lastTimestamp,
      source: { component: this.#component },
      reportingComponent: this.#component,
      reportingInstance: '',
    });
    if (isOk(answer)) this.#remember(key, name);
  }

  #remember(key: string, name: string): void {
    this.#counts.set(key, { name, count: 1 });
    const oldest = this.#counts.keys().next();
    if (this.#counts.size > remembered && oldest.done !== true) this.#counts.delete(oldest.value);
  }
}
