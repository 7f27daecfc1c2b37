// Which identity and version here stands for which of the recording, learnt from pairs of answers.
// Requests are translated with it before they are sent.
import { objectAt, objectsAt, textAt } from '#machines/kubernetes/fields.ts';
import { isObject } from '#machines/kubernetes/json.ts';
import type { Json, JsonObject } from '#machines/kubernetes/objects.ts';

export class Names {
  readonly #uids = new Map<string, string>();
  readonly #versions = new Map<string, string>();

  /** Two answers to the same request, or two forms of the same object. */
  learn(recorded: unknown, live: unknown): void {
    if (!isObject(recorded) || !isObject(live)) return;
    this.#learnMeta(objectAt(recorded, 'metadata'), objectAt(live, 'metadata'));
    const items = new Map(objectsAt(live, 'items').map((item) => [nameOf(item), item]));
    for (const item of objectsAt(recorded, 'items')) this.learn(item, items.get(nameOf(item)));
  }

  /** A copy in the terms of the live cluster. */
  translate(value: Json, key = ''): Json {
    if (typeof value === 'string') {
      if (key === 'resourceVersion') return this.#versions.get(value) ?? value;
      return this.#uids.get(value) ?? value;
    }
    if (Array.isArray(value)) return value.map((item) => this.translate(item));
    return isObject(value) ? this.translateObject(value) : value;
  }

  translateObject(object: JsonObject): JsonObject {
    return Object.fromEntries(
      Object.entries(object).map(([key, value]) => [key, this.translate(value ?? null, key)]),
    );
  }

  #learnMeta(recorded: JsonObject | undefined, live: JsonObject | undefined): void {
    const pairs = [
      ['uid', this.#uids],
      ['resourceVersion', this.#versions],
    ] as const;
    for (const [field, known] of pairs) {
      const [there, here] = [textAt(recorded, field), textAt(live, field)];
      if (there !== '' && here !== '') known.set(there, here);
    }
  }
}

const nameOf = (object: JsonObject): string => {
  const { namespace, name } = objectAt(object, 'metadata') ?? {};
  return `${String(namespace)}/${String(name)}`;
};
