// What one controller was told by the answers to its own writes, held against what it asks for
// next: it must never act on less, and where a precondition failed it must look at the object
// before it tries again. Fed and asked by its wire (faulty-transport.ts).
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { KubeRequest, KubeResponse } from '#src/kube/transport/transport.ts';
import { at, textAt, uidOf } from '../fields.ts';
import { isDisowned, isLeftToOthers } from '../world/pending.ts';
import { placeOf } from './place.ts';

interface Entry {
  readonly uid: string;
  readonly version: number;
}

export interface ReportedAnswersOptions {
  readonly store: Store;
  readonly violate: (what: string) => void;
  /** It was given a list from the past lately, and may have believed it. */
  readonly isMisled: () => boolean;
}

export class ReportedAnswers {
  readonly #options: ReportedAnswersOptions;
  /** By collection and name. */
  readonly #entries = new Map<string, Entry>();
  /** The preconditions that failed last, where the object was not read since; by the same. */
  readonly #conflicts = new Map<string, string>();

  constructor(options: ReportedAnswersOptions) {
    this.#options = options;
  }

  /** An answer reaches the process. */
  hears({ method, path, body: asked }: KubeRequest, { status, body }: KubeResponse): void {
    const { collection, name, plural } = placeOf(path);
    const isUpdate = method !== 'GET' && method !== 'POST';
    if (isUpdate && status === 409 && plural !== 'leases' && plural !== 'events') {
      this.#conflicts.set(`${collection} ${name}`, preconditionsOf(asked));
    }
    const version = Number(textAt(body, 'metadata', 'resourceVersion'));
    if (method === 'GET' || method === 'DELETE' || status >= 300 || version === 0) return;
    this.#entries.set(keyOf(collection, body), { uid: uidOf(body), version });
  }

  /** The process decides to send this. */
  judge(request: KubeRequest): void {
    const { method, path, body } = request;
    this.#judgeConflict(request);
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

  #judgeConflict({ method, path, body }: KubeRequest): void {
    const { collection, name } = placeOf(path);
    const key = `${collection} ${name}`;
    const failed = this.#conflicts.get(key);
    if (method === 'POST' || failed === undefined) return;
    if (method === 'GET') return void this.#conflicts.delete(key);
    if (preconditionsOf(body) !== failed) return;
    this.#options.violate(`${method} ${path} names ${failed} again, though that was a conflict`);
  }

  #judgeCreate(collection: string, namespace: string, body: unknown): void {
    const { store, violate, isMisled } = this.#options;
    // Nobody hears of the end of a Secret, so one that is there is asked for now and then.
    if (collection === '/secrets') return;
    const told = this.#entries.get(keyOf(collection, body));
    const live = store.collection(collection).get(namespace, textAt(body, 'metadata', 'name'));
    if (told === undefined || live === undefined || uidOf(live) !== told.uid || isMisled()) return;
    // It is shown no more, and so is asked for; a pod is looked for first.
    if (isLeftToOthers(live) || (isDisowned(live) && live.kind !== 'Pod')) return;
    violate(`creates ${keyOf(collection, body)} again, though an answer told that it is there`);
  }
}

const preconditionsOf = (body: unknown): string => {
  const preconditions = at(body, 'preconditions') ?? at(body, 'metadata');
  const version = textAt(preconditions, 'resourceVersion');
  return `UID ${textAt(preconditions, 'uid')}${version === '' ? '' : ` and version ${version}`}`;
};

const keyOf = (collection: string, object: unknown): string =>
  `${collection} ${textAt(object, 'metadata', 'name')}`;
