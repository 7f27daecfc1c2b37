// The model API server of histories: every change waits as news until it is delivered, in any order
// between objects and more than once. Answers to writes are as an API server gives them.
import type { WriteOutcome } from '#actors/ports.ts';
import { refKey } from '#machines/contract/address.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';
import { refOf, Store } from './world-store.ts';
import type { WriteIntent } from './world-store.ts';

export interface News {
  readonly one: KubeObject;
  readonly isGone: boolean;
}

export class LateStore extends Store {
  /** By object and UID, the oldest first. */
  readonly #news: Map<string, News[]>;

  constructor() {
    const news = new Map<string, News[]>();
    super((one, isGone) => {
      const key = `${refKey(refOf(one))} ${one.metadata.uid}`;
      const queue = news.get(key) ?? [];
      queue.push({ one, isGone });
      news.set(key, queue);
    });
    this.#news = news;
  }

  get isQuiet(): boolean {
    return this.#news.size === 0;
  }

  /** The next news of some object, or all of them up to the newest. */
  next(pick: number, isWhole: boolean): readonly News[] {
    const keys = [...this.#news.keys()];
    const key = keys[pick % Math.max(1, keys.length)];
    const queue = key === undefined ? undefined : this.#news.get(key);
    if (key === undefined || queue === undefined) return [];
    const taken = queue.splice(0, isWhole ? queue.length : 1);
    if (queue.length === 0) this.#news.delete(key);
    return taken;
  }

  /** Who lists anew is told of what is there, and of nothing else. */
  forget(): void {
    this.#news.clear();
  }

  /** Carries a write out, and answers it. */
  write(intent: WriteIntent, seen: KubeObject | undefined): WriteOutcome {
    const live = this.objects.get(refKey(intent.ref));
    const isStale = live?.metadata.resourceVersion !== seen?.metadata.resourceVersion;
    if (intent.type === 'writeStatus' && live?.metadata.uid === intent.uid && isStale) {
      return { ok: false, code: 'CONFLICT', message: 'the object has been modified' };
    }
    const outcome = this.apply(intent);
    return outcome === 'nothing' || outcome.ok ? this.#reply(intent.ref) : outcome;
  }

  read(ref: ObjectRef): WriteOutcome {
    const object = this.objects.get(refKey(ref));
    return object === undefined
      ? { ok: false, code: 'NOT_FOUND', message: 'not found' }
      : { ok: true, object };
  }

  #reply(ref: ObjectRef): WriteOutcome {
    const object = this.objects.get(refKey(ref));
    return object === undefined ? { ok: true, gone: true } : { ok: true, object };
  }
}
