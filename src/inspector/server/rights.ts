// What a user may list, by kind and namespace: asked of the API server as it is needed, all
// namespaces at once first, and remembered for as long as their token is. So lists and streams show
// what `kubectl get` would. Made by access.ts.
import { putNewest } from '#actors/maps.ts';
import { refusal, type RefusedAnswer } from '#bus/answers.ts';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { type ActorKind, apiGroup, isClusterScoped, kindRow, objectKind } from '#machines/kinds.ts';
import type { ResourceAttributes } from '#src/questions/review.ts';
import { objectsKnown, rightsAtOnce, rightsPerRequest } from './limits.ts';

/** Objects of a kind in a namespace; an empty one: the kind has none. */
export type Place = Pick<ActorKey, 'kind' | 'namespace'>;

/** Rejects where the API server does not say. */
export type MayUser = (attributes: ResourceAttributes) => Promise<boolean>;

/** The places of rows or facts, each once. */
export class Places {
  readonly #places = new Map<string, Place>();

  add({ kind, namespace }: Place): void {
    const key = `${kind}/${namespace}`;
    if (!this.#places.has(key)) this.#places.set(key, { kind, namespace });
  }

  get size(): number {
    return this.#places.size;
  }

  [Symbol.iterator](): IterableIterator<Place> {
    return this.#places.values();
  }
}

export const attributesOf = (
  { kind, namespace }: Place,
  verb: string,
  name?: string,
): ResourceAttributes => {
  const of = objectKind(kind);
  const named = name === undefined ? {} : { name };
  return { group: apiGroup(of), resource: kindRow(of).plural, verb, namespace, ...named };
};

export class Rights {
  readonly #may: MayUser;
  /** True: in all namespaces. */
  readonly #kinds = new Map<ActorKind, boolean>();
  readonly #places = new Map<string, boolean>();
  /** That may be looked at one by one. */
  readonly #objects = new Map<string, true>();

  /** Undefined: everything is allowed. */
  constructor(may?: MayUser) {
    this.#may = may ?? (() => Promise.resolve(true));
  }

  /** False also where it was not asked yet. */
  mayList({ kind, namespace }: Place): boolean {
    return this.#kinds.get(kind) === true || this.#places.get(`${kind}/${namespace}`) === true;
  }

  /** True where the API server has said so, of this object. */
  mayGet(about: ActorKey): boolean {
    return this.#objects.has(actorId(about));
  }

  /** The API server says so. */
  gets(about: ActorKey): void {
    putNewest(this.#objects, actorId(about), true, objectsKnown);
  }

  /** True where nothing of these kinds is hidden, in whatever namespace. */
  mayListAll(kinds: Iterable<ActorKind>): boolean {
    for (const kind of kinds) if (this.#kinds.get(kind) !== true) return false;
    return true;
  }

  /** The API server has said whether the user may list there. */
  isKnown({ kind, namespace }: Place): boolean {
    const ofKind = this.#kinds.get(kind);
    const isGlobal = namespace === '' || isClusterScoped(objectKind(kind));
    return (
      ofKind === true || (ofKind === false && isGlobal) || this.#places.has(`${kind}/${namespace}`)
    );
  }

  /** Of each. */
  knows(places: Iterable<Place>): boolean {
    return [...places].every((place) => this.isKnown(place));
  }

  /** Afterwards `mayList` knows these places; the result says why it does not. Rejects where the
   *  API server does not say. */
  async learn(places: Iterable<Place>): Promise<RefusedAnswer | undefined> {
    if (this.knows(places)) return undefined;
    const wanted = [...places].filter((place) => !this.isKnown(place));
    const kinds = [...new Set(wanted.map(({ kind }) => kind))];
    await inTurns(
      kinds.filter((kind) => !this.#kinds.has(kind)),
      async (kind) => {
        this.#kinds.set(kind, await this.#may(attributesOf({ kind, namespace: '' }, 'list')));
      },
    );
    const open = wanted.filter((place) => !this.isKnown(place));
    if (open.length > rightsPerRequest) return tooMany;
    await inTurns(open, async ({ kind, namespace }) => {
      const allowed = await this.#may(attributesOf({ kind, namespace }, 'list'));
      this.#places.set(`${kind}/${namespace}`, allowed);
    });
    return undefined;
  }

  /** All that is known, allowed or not. */
  *known(): Iterable<Place & { readonly allowed: boolean }> {
    for (const [kind, allowed] of this.#kinds) yield { kind, namespace: '', allowed };
    for (const [key, allowed] of this.#places) {
      const [kind = '', namespace = ''] = key.split('/');
      for (const known of this.#kinds.keys())
        if (known === kind) yield { kind: known, namespace, allowed };
    }
  }
}

const tooMany = refusal(
  'TOO_LARGE',
  `you may not list everything, and there are more than ${rightsPerRequest} namespaces and kinds ` +
    'to ask the API server about: name one with ?namespace=',
);

async function inTurns<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async (): Promise<void> => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(rightsAtOnce, items.length) }, worker));
}
