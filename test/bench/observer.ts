// Watches a cluster from outside and notes when things happen: pods created, ready, gone, replicas
// available. Its own connection and its own bookkeeping; the code under measurement has no part in
// it.
import type { KubeTransport } from '#src/kube/transport.ts';

interface Seen {
  readonly uid: string;
  readonly ready: boolean;
}

type ObjectEvent = { readonly type: string; readonly object: unknown };

export interface Counts {
  readonly podsEverCreated: number;
  readonly podsAlive: number;
  readonly podsReady: number;
  readonly availableReplicas: number;
  readonly alive: Readonly<Record<string, number>>;
}

const watched = {
  pods: '/api/v1/pods',
  services: '/api/v1/services',
  podcliques: '/apis/grove.io/v1alpha1/podcliques',
  podcliquesets: '/apis/grove.io/v1alpha1/podcliquesets',
  podgangs: '/apis/scheduler.grove.io/v1alpha1/podgangs',
} as const;

const ours = 'app.kubernetes.io/managed-by=grove-operator';

export class Observer {
  readonly #transport: KubeTransport;
  readonly #ever = new Set<string>();
  readonly #pods = new Map<string, Seen>();
  readonly #others = new Map<string, Set<string>>();
  #ready = 0;
  #available = 0;
  #listeners = new Set<() => void>();
  readonly #byPod = new Map<string, () => void>();
  #close: (() => void)[] = [];

  constructor(transport: KubeTransport) {
    this.#transport = transport;
  }

  start(): void {
    for (const [resource, path] of Object.entries(watched)) {
      this.#others.set(resource, new Set());
      const selector =
        resource === 'services' || resource === 'pods'
          ? `&labelSelector=${encodeURIComponent(ours)}`
          : '';
      this.#watch(resource, `${path}?watch=true&resourceVersion=0${selector}`);
    }
  }

  stop(): void {
    for (const close of this.#close) close();
  }

  counts(): Counts {
    return {
      podsEverCreated: this.#ever.size,
      podsAlive: this.#pods.size,
      podsReady: this.#ready,
      availableReplicas: this.#available,
      alive: Object.fromEntries(
        [...this.#others].map(([resource, names]) => [resource, names.size]),
      ),
    };
  }

  /** Seconds from now until the claim holds; throws with the counts after the limit. */
  until(what: string, claim: (counts: Counts) => boolean, limitSeconds = 300): Promise<number> {
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#listeners.delete(check);
      };
      const check = (): void => {
        if (!claim(this.counts())) return;
        done();
        resolve((performance.now() - begun) / 1000);
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`not ${what} after ${limitSeconds} s: ${JSON.stringify(this.counts())}`));
      }, limitSeconds * 1000);
      this.#listeners.add(check);
      check();
    });
  }

  /** Resolves when all of these pods (`namespace/name`) are ready. */
  podsReady(keys: readonly string[]): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!keys.every((key) => this.#pods.get(key)?.ready === true)) return;
        for (const key of keys) this.#byPod.delete(key);
        resolve();
      };
      for (const key of keys) this.#byPod.set(key, check);
      check();
    });
  }

  #watch(resource: string, path: string): void {
    const close = this.#transport.watch(path, {
      event: (event) => this.#take(resource, event),
      closed: (reason) => {
        if (reason.kind !== 'aborted') this.#watch(resource, path);
      },
    });
    this.#close.push(close);
  }

  #take(resource: string, event: ObjectEvent): void {
    const object = event.object as {
      metadata?: { name?: string; namespace?: string; uid?: string };
      status?: { availableReplicas?: number; conditions?: { type: string; status: string }[] };
    };
    const key = `${object.metadata?.namespace}/${object.metadata?.name}`;
    const gone = event.type === 'DELETED';
    const names = this.#others.get(resource);
    if (gone) names?.delete(key);
    else if (event.type === 'ADDED' || event.type === 'MODIFIED') names?.add(key);
    if (resource === 'podcliquesets')
      this.#available = gone ? 0 : (object.status?.availableReplicas ?? 0);
    if (resource === 'pods')
      this.#takePod(key, object.metadata?.uid ?? '', gone, object.status?.conditions ?? []);
    for (const listener of [...this.#listeners]) listener();
  }

  #takePod(
    key: string,
    uid: string,
    gone: boolean,
    conditions: readonly { type: string; status: string }[],
  ): void {
    const before = this.#pods.get(key);
    const ready =
      !gone && conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    this.#ready += (ready ? 1 : 0) - (before?.ready === true ? 1 : 0);
    this.#ever.add(uid);
    if (gone) this.#pods.delete(key);
    else this.#pods.set(key, { uid, ready });
    if (ready) this.#byPod.get(key)?.();
  }
}
