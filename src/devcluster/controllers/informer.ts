// A cache of the objects of one kind that follows the server: list in pages, watch from there, list
// again when the version is too old or the stream says so. The simulated controllers share one per
// kind. Objects are handed out as they came and must not be changed.
import type { Clock } from '#actors/ports.ts';
import { backoff } from '#machines/contract/backoff.ts';
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { isAtMost } from '#machines/kubernetes/versions.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import type { WatchEnd } from '#src/kube/transport/transport.ts';
import type { KubeClient } from './client.ts';
import { asStored, isOk, keyOf } from './client.ts';

export interface InformerListener {
  /** `old` is absent for an object that was not known. */
  readonly seen?: (object: Stored, old: Stored | undefined) => void;
  readonly gone?: (object: Stored) => void;
}

const pageLimit = 500;
const firstRetryMs = 50;
const longestRetryMs = 5_000;

export class Informer {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #path: string;
  readonly #objects = new Map<string, Stored>();
  readonly #listeners = new Set<InformerListener>();
  #version = '';
  #synced = false;
  #stopped = false;
  #failures = 0;
  #close: () => void = () => {};
  #cancelRetry: () => void = () => {};

  constructor(client: KubeClient, clock: Clock, path: string) {
    this.#client = client;
    this.#clock = clock;
    this.#path = path;
    void this.#relist();
  }

  /** True once a whole list was read; false again while a new one is needed. */
  get synced(): boolean {
    return this.#synced;
  }

  /** True once the cache has what was written at this version. */
  hasSeen(version: string): boolean {
    return this.#synced && isAtMost(version, this.#version);
  }

  /** By `namespace/name`; cluster-scoped objects by `/name`. */
  get(key: string): Stored | undefined {
    return this.#objects.get(key);
  }

  values(): IterableIterator<Stored> {
    return this.#objects.values();
  }

  get size(): number {
    return this.#objects.size;
  }

  /** Tells what is known now and everything that comes; the returned function ends it. */
  listen(listener: InformerListener): () => void {
    this.#listeners.add(listener);
    for (const object of this.#objects.values()) listener.seen?.(object, undefined);
    return () => this.#listeners.delete(listener);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelRetry();
    this.#close();
    this.#listeners.clear();
  }

  async #relist(): Promise<void> {
    this.#synced = false;
    const found = new Map<string, Stored>();
    let next = '';
    do {
      const token = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
      const answer = await this.#client.get(`${this.#path}?limit=${pageLimit}${token}`);
      if (this.#stopped) return;
      if (!isOk(answer)) return this.#retry(() => void this.#relist());
      for (const item of objectsAt(answer.body, 'items')) this.#collect(found, item);
      const metadata = objectAt(answer.body, 'metadata');
      this.#version = textAt(metadata, 'resourceVersion');
      next = textAt(metadata, 'continue');
    } while (next !== '');
    this.#replace(found);
    this.#synced = true;
    this.#failures = 0;
    this.#watch();
  }

  #collect(found: Map<string, Stored>, item: JsonObject): void {
    const object = asStored(item);
    if (object !== undefined) found.set(keyOf(object), object);
  }

  #replace(found: ReadonlyMap<string, Stored>): void {
    for (const [key, object] of this.#objects) {
      const now = found.get(key);
      const same = now !== undefined && now.metadata['uid'] === object.metadata['uid'];
      if (same) continue;
      this.#objects.delete(key);
      this.#tellGone(object);
    }
    for (const object of found.values()) this.#see(object);
  }

  #see(object: Stored): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old?.metadata['resourceVersion'] === object.metadata['resourceVersion'] && old) return;
    this.#objects.set(key, object);
    for (const listener of this.#listeners) listener.seen?.(object, old);
  }

  #tellGone(object: Stored): void {
    for (const listener of this.#listeners) listener.gone?.(object);
  }

  #watch(): void {
    const version = `&resourceVersion=${this.#version}`;
    const path = `${this.#path}?watch=true&allowWatchBookmarks=true${version}`;
    let tooOld = false;
    this.#close = this.#client.transport.watch(path, {
      event: ({ type, object }) => {
        if (this.#stopped) return;
        if (type === 'ERROR') tooOld = true;
        else this.#take(type, object);
      },
      closed: (end) => {
        if (!this.#stopped) this.#closed(end, tooOld);
      },
    });
  }

  #take(type: string, value: unknown): void {
    const object = asStored(value);
    if (object === undefined) return;
    this.#failures = 0;
    this.#version = textAt(object.metadata, 'resourceVersion');
    if (type === 'ADDED' || type === 'MODIFIED') this.#see(object);
    if (type === 'DELETED' && this.#objects.delete(keyOf(object))) this.#tellGone(object);
  }

  #closed(end: WatchEnd, tooOld: boolean): void {
    if (tooOld || (end.kind === 'refused' && end.response.status === 410)) {
      this.#synced = false;
      this.#retry(() => void this.#relist());
    } else if (end.kind === 'refused' && end.response.status === 404) {
      // The kind may come back with its CRD; until then it has no objects.
      this.#replace(new Map());
      this.#retry(() => void this.#relist());
    } else {
      this.#retry(() => this.#watch());
    }
  }

  #retry(run: () => void): void {
    const wait = backoff(this.#failures + 1, firstRetryMs, longestRetryMs);
    this.#failures++;
    this.#cancelRetry = this.#clock.at(this.#clock.now() + wait, () => {
      if (!this.#stopped) run();
    });
  }
}

/** One informer per path, made when first asked for. */
export class Informers {
  readonly #client: KubeClient;
  readonly #clock: Clock;
  readonly #all = new Map<string, Informer>();
  readonly #guests = new Map<string, Set<InformerListener>>();

  constructor(client: KubeClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** `path` is that of the whole collection, e.g. `/api/v1/pods`. */
  at(path: string): Informer {
    const present = this.#all.get(path);
    if (present !== undefined) return present;
    const informer = new Informer(this.#client, this.#clock, path);
    this.#all.set(path, informer);
    for (const guest of this.#guests.get(path) ?? []) informer.listen(guest);
    return informer;
  }

  /** Listens to a kind as soon as another controller follows it, without a request of its own. */
  join(path: string, listener: InformerListener): void {
    const guests = this.#guests.get(path) ?? new Set();
    this.#guests.set(path, guests.add(listener));
    this.#all.get(path)?.listen(listener);
  }

  /** Stops following a kind that is served no more. */
  drop(path: string): void {
    this.#all.get(path)?.stop();
    this.#all.delete(path);
  }

  get synced(): boolean {
    return [...this.#all.values()].every((informer) => informer.synced);
  }

  stop(): void {
    for (const informer of this.#all.values()) informer.stop();
    this.#all.clear();
    this.#guests.clear();
  }
}
