// Watches a cluster from outside and remembers what it saw: the objects that are there now and
// every UID that ever was. Plain watches and plain JSON; nothing of what is tested has a part in
// it.
import { at, list, text } from '#machines/json.ts';
import type { KubeTransport } from '#src/kube/transport.ts';

const watched = {
  pods: '/api/v1/pods',
  services: '/api/v1/services',
  podcliques: '/apis/grove.io/v1alpha1/podcliques',
  podcliquesets: '/apis/grove.io/v1alpha1/podcliquesets',
  podgangs: '/apis/scheduler.grove.io/v1alpha1/podgangs',
} as const;

export type Watched = keyof typeof watched;

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
  readonly #objects = new Map<Watched, Map<string, unknown>>();
  /** `namespace` to UIDs of its pods. */
  readonly #podsEver = new Map<string, Set<string>>();
  readonly #listeners = new Set<(sight?: Sight) => void>();
  readonly #closers = new Map<Watched, () => void>();
  #isOver = false;

  constructor(transport: KubeTransport) {
    this.#transport = transport;
    for (const resource of Object.keys(watched) as Watched[]) {
      this.#objects.set(resource, new Map());
      this.#watch(resource);
    }
  }

  /** Those of a namespace by name. */
  all(resource: Watched, namespace: string): ReadonlyMap<string, unknown> {
    const prefix = `${namespace}/`;
    const found = [...(this.#objects.get(resource) ?? [])].filter(([key]) =>
      key.startsWith(prefix),
    );
    return new Map(found.map(([key, object]) => [key.slice(prefix.length), object]));
  }

  one(resource: Watched, namespace: string, name: string): unknown {
    return this.#objects.get(resource)?.get(`${namespace}/${name}`);
  }

  /** Pods that ever existed in the namespace, by UID. */
  podsEver(namespace: string): number {
    return this.#podsEver.get(namespace)?.size ?? 0;
  }

  readyPods(namespace: string): number {
    return [...this.all('pods', namespace).values()].filter(
      (pod) => conditionOf(pod, 'Ready') === 'True',
    ).length;
  }

  /** Calls back for everything that is seen from now on; the returned function ends that. */
  onSight(listener: (sight: Sight) => void): () => void {
    const heed = (sight?: Sight): void => {
      if (sight !== undefined) listener(sight);
    };
    this.#listeners.add(heed);
    return () => this.#listeners.delete(heed);
  }

  /** Resolves when the claim holds, looking again at every sight. */
  until(what: string, claim: () => boolean, tell: () => unknown, limitMs = 60_000): Promise<void> {
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(check);
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
      check();
    });
  }

  stop(): void {
    this.#isOver = true;
    for (const close of this.#closers.values()) close();
  }

  #watch(resource: Watched): void {
    const path = `${watched[resource]}?watch=true&resourceVersion=0`;
    const close = this.#transport.watch(path, {
      event: ({ type, object }) => this.#take(resource, type, object),
      closed: () => {
        if (!this.#isOver) this.#watch(resource);
      },
    });
    this.#closers.set(resource, close);
  }

  #take(resource: Watched, type: string, object: unknown): void {
    if (type !== 'ADDED' && type !== 'MODIFIED' && type !== 'DELETED') return;
    const namespace = text(at(object, 'metadata', 'namespace'));
    const name = text(at(object, 'metadata', 'name'));
    const objects = this.#objects.get(resource);
    if (type === 'DELETED') objects?.delete(`${namespace}/${name}`);
    else objects?.set(`${namespace}/${name}`, object);
    if (resource === 'pods') {
      const ever = this.#podsEver.get(namespace) ?? new Set();
      this.#podsEver.set(namespace, ever.add(text(at(object, 'metadata', 'uid'))));
    }
    const sight = { type, resource, namespace, name, object };
    for (const listener of [...this.#listeners]) listener(sight);
  }
}
