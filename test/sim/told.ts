// What one controller was told by the answers to its own writes, held against what it asks for
// next: it must never act on less. Fed and asked by its wire (faulty-transport.ts).
import type { Store } from '#src/devcluster/api/store.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport.ts';
import { at, textAt, uidOf } from './dig.ts';
import { isDisowned, isLeftToOthers } from './pending.ts';
import { placeOf } from './place.ts';

interface Entry {
  readonly uid: string;
  readonly version: number;
}

export interface ToldOptions {
  readonly store: Store;
  readonly violate: (what: string) => void;
  /** It was given a list from the past lately, and may have believed it. */
  readonly isMisled: () => boolean;
}

export class Told {
  readonly #options: ToldOptions;
  /** By collection and name. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: ToldOptions) {
    this.#options = options;
  }

  /** An answer reaches the process. */
  hears({ method, path }: KubeRequest, { status, body }: KubeResponse): void {
    const version = Number(textAt(body, 'metadata', 'resourceVersion'));
    if (method === 'GET' || method === 'DELETE' || status >= 300 || version === 0) return;
    const { collection } = placeOf(path);
    this.#entries.set(keyOf(collection, body), { uid: uidOf(body), version });
  }

  /** The process decides to send this. */
  judge({ method, path, body }: KubeRequest): void {
    if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return;
    const { collection, namespace, name, plural } = placeOf(path);
    if (plural === 'events' || plural === 'leases') return;
    if (method === 'POST') return this.#judgeCreate(collection, namespace, body);
    const told = this.#entries.get(`${collection} ${name}`);
    const version = at(body, 'metadata', 'resourceVersion');
    if (told === undefined || version === undefined || at(body, 'metadata', 'uid') !== told.uid) {
      return;
    }
    if (Number(version) >= told.version) return;
    this.#options.violate(
      `${method} ${path} names version ${String(version)}, though an answer told of ${told.version}`,
    );
  }

  #judgeCreate(collection: string, namespace: string, body: unknown): void {
    const { store, violate, isMisled } = this.#options;
    const told = this.#entries.get(keyOf(collection, body));
    const live = store.collection(collection).get(namespace, textAt(body, 'metadata', 'name'));
    if (told === undefined || live === undefined || uidOf(live) !== told.uid || isMisled()) return;
    // It is shown no more, and so is asked for; a pod is looked for first.
    if (isLeftToOthers(live) || (isDisowned(live) && live.kind !== 'Pod')) return;
    violate(`creates ${keyOf(collection, body)} again, though an answer told that it is there`);
  }
}

const keyOf = (collection: string, object: unknown): string =>
  `${collection} ${textAt(object, 'metadata', 'name')}`;
