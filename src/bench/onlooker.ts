// Watches a cluster from outside and remembers what it saw: the objects that are there now and
// every UID that ever was. Plain lists, watches and JSON; nothing of what is tested has a part in
// it. For `coppice bench`, for tests of processes, and for the observer of the benchmarks.
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { KubeTransport, WatchEnd } from '#src/kube/transport/transport.ts';

const watched = {
  pods: '/api/v1/pods',
  services: '/api/v1/services',
  podcliques: '/apis/grove.io/v1alpha1/podcliques',
  podcliquesets: '/apis/grove.io/v1alpha1/podcliquesets',
  podcliquescalinggroups: '/apis/grove.io/v1alpha1/podcliquescalinggroups',
  podgangs: '/apis/scheduler.grove.io/v1alpha1/podgangs',
  sandboxes: '/apis/agents.x-k8s.io/v1beta1/sandboxes',
  sandboxclaims: '/apis/extensions.agents.x-k8s.io/v1beta1/sandboxclaims',
  sandboxwarmpools: '/apis/extensions.agents.x-k8s.io/v1beta1/sandboxwarmpools',
} as const;

export type Watched = keyof typeof watched;

const ofGrove: readonly Watched[] = [
  'pods',
  'services',
  'podcliques',
  'podcliquesets',
  'podcliquescalinggroups',
  'podgangs',
];

/** After a refusal, before the next attempt. */
const retryMs = 100;

export interface Sight {
  readonly type: string;
  readonly resource: Watched;
  readonly namespace: string;
  readonly name: string;
  readonly object: unknown;
}

/** `True`, `False`, `Unknown` or empty. */
export const conditionOf = (object: unknown, type: string): string =>
  text(
    at(
      list(at(object, 'status', 'conditions')).find((row) => at(row, 'type') === type),
      'status',
    ),
  );

export class Onlooker {
  readonly #transport: KubeTransport;
  readonly #namespace: string | undefined;
  /** By `resource namespace`, then by name. */
  readonly #objects = new Map<string, Map<string, unknown>>();
  /** UIDs of pods by namespace. */
  readonly #podsEver = new Map<string, Set<string>>();
  /** Names of pods by namespace. */
  readonly #podsReady = new Map<string, Set<string>>();
  readonly #listeners = new Set<(sight?: Sight) => void>();
  /** Of claims that are waited for. */
  readonly #cancels = new Set<() => void>();
  readonly #closers = new Map<Watched, () => void>();
  /** Where each watch goes on when it is broken off. */
  readonly #versions = new Map<Watched, string>();
  #isOver = false;
  /** When every resource was listed once: from then on nothing is missed. */
  readonly synced: Promise<void>;

  /** By default what Grove's sets are made of, in all namespaces. */
  constructor(
    transport: KubeTransport,
    resources: readonly Watched[] = ofGrove,
    namespace?: string,
  ) {
    this.#transport = transport;
    this.#namespace = namespace;
    this.synced = Promise.all(resources.map((resource) => this.#list(resource))).then(() => {});
  }

  /** Those of a namespace by name. */
  all(resource: Watched, namespace: string): ReadonlyMap<string, unknown> {
    return this.#objects.get(`${resource} ${namespace}`) ?? new Map();
  }

  one(resource: Watched, namespace: string, name: string): unknown {
    return this.all(resource, namespace).get(name);
  }

  /** Pods that ever existed in the namespace, by UID. */
  podsEver(namespace: string): number {
    return this.#podsEver.get(namespace)?.size ?? 0;
  }

  readyPods(namespace: string): number {
    return this.#podsReady.get(namespace)?.size ?? 0;
  }

  /** Calls back for everything that is seen from now on; the returned function ends that. */
  onSight(listener: (sight: Sight) => void): () => void {
    const heed = (sight?: Sight): void => {
      if (sight !== undefined) listener(sight);
    };
    this.#listeners.add(heed);
    return () => this.#listeners.delete(heed);
  }

  /** Resolves when the claim holds, looking again at every sight; never, once it is stopped. */
  until(what: string, claim: () => boolean, tell: () => unknown, limitMs = 60_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(check);
        this.#cancels.delete(done);
      };
      const check = (): void => {
        if (!claim()) return;
        done();
        resolve();
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`not ${what} after ${limitMs} ms: ${JSON.stringify(tell())}`));
      }, limitMs);
      this.#listeners.add(check);
      this.#cancels.add(done);
      check();
    });
  }

  stop(): void {
    this.#isOver = true;
    for (const cancel of [...this.#cancels]) cancel();
    for (const close of this.#closers.values()) close();
  }

  /** Takes everything anew, also that something is gone, and watches from there. */
  async #list(resource: Watched): Promise<void> {
    for (; !this.#isOver; await pause(retryMs)) {
      const request = { method: 'GET', path: this.#pathOf(resource) } as const;
      const reply = await this.#transport.request(request).catch(() => undefined);
      if (this.#isOver) return;
      if (reply?.status !== 200) continue; // not serving yet, or busy: patience
      this.#reconcile(resource, list(at(reply.body, 'items')));
      this.#versions.set(resource, text(at(reply.body, 'metadata', 'resourceVersion')));
      this.#watch(resource);
      return;
    }
  }

  #pathOf(resource: Watched): string {
    const path = watched[resource];
    if (this.#namespace === undefined) return path;
    return path.replace(/[^/]+$/, `namespaces/${this.#namespace}/$&`);
  }

  #reconcile(resource: Watched, items: readonly unknown[]): void {
    const listed = new Set(items.map(keyOf));
    for (const [place, objects] of this.#objects) {
      if (!place.startsWith(`${resource} `)) continue;
      for (const object of [...objects.values()]) {
        if (!listed.has(keyOf(object))) this.#take(resource, 'DELETED', object);
      }
    }
    for (const object of items) this.#take(resource, 'ADDED', object);
  }

  #watch(resource: Watched): void {
    const from = this.#versions.get(resource) ?? '';
    const query = `?watch=true&allowWatchBookmarks=true&resourceVersion=${from}`;
    const path = this.#pathOf(resource) + query;
    const close = this.#transport.watch(path, {
      event: ({ type, object }) => {
        if (type === 'ERROR') return void this.#versions.delete(resource);
        const version = text(at(object, 'metadata', 'resourceVersion'));
        this.#versions.set(resource, version);
        this.#take(resource, type, object);
      },
      closed: (end) => void this.#resume(resource, end),
    });
    this.#closers.set(resource, close);
  }

  /** A server closes watches that it finds slow: they go on where they were, or are listed anew
   *  when that is too long ago. */
  async #resume(resource: Watched, end: WatchEnd): Promise<void> {
    if (end.kind === 'refused' && end.response.status === 410) this.#versions.delete(resource);
    if (this.#isOver) return;
    if (end.kind !== 'ended' || end.error !== undefined) await pause(retryMs);
    if (!this.#versions.has(resource)) await this.#list(resource);
    else if (!this.#isOver) this.#watch(resource);
  }

  #take(resource: Watched, type: string, object: unknown): void {
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return;
    const namespace = text(at(object, 'metadata', 'namespace'));
    const name = text(at(object, 'metadata', 'name'));
    const objects = placeOf(this.#objects, `${resource} ${namespace}`, () => new Map());
    if (type === 'DELETED') objects.delete(name);
    else objects.set(name, object);
    if (resource === 'pods') {
      const newSet = (): Set<string> => new Set();
      placeOf(this.#podsEver, namespace, newSet).add(text(at(object, 'metadata', 'uid')));
      const ready = placeOf(this.#podsReady, namespace, newSet);
      if (type !== 'DELETED' && conditionOf(object, 'Ready') === 'True') ready.add(name);
      else ready.delete(name);
    }
    const sight = { type, resource, namespace, name, object };
    for (const listener of [...this.#listeners]) listener(sight);
  }
}

const keyOf = (object: unknown): string =>
  `${text(at(object, 'metadata', 'namespace'))}/${text(at(object, 'metadata', 'name'))}`;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function placeOf<V>(map: Map<string, V>, key: string, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, (value = make()));
  return value;
}
