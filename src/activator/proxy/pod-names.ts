// Names of pods by their UIDs, for the request log: EndpointSlices have both, and tables keep the
// UIDs alone. Whoever hears of slices keeps one PodNames up to date.
import { at, list, word } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';

/** Empty: nobody has told it. */
export type FindPodName = (id: string) => string;

interface Named {
  readonly name: string;
  /** A pod that moves is in two of them for a while. */
  slices: number;
}

export class PodNames {
  readonly #names = new Map<string, Named>();
  /** UIDs by `namespace/name` of the slice. */
  readonly #bySlice = new Map<string, readonly string[]>();

  readonly find: FindPodName = (id) => this.#names.get(id)?.name ?? '';

  seen(slice: KubeObject): void {
    const { namespace, name } = slice.metadata;
    const key = `${namespace}/${name}`;
    const before = this.#bySlice.get(key) ?? [];
    const pods = list(slice['endpoints']).flatMap((endpoint): readonly [string, string][] => {
      const id = word(at(endpoint, 'targetRef', 'uid'));
      const pod = word(at(endpoint, 'targetRef', 'name'));
      return id === undefined || pod === undefined ? [] : [[id, pod]];
    });
    for (const [id, pod] of pods) {
      const slices = this.#names.get(id)?.slices ?? 0;
      this.#names.set(id, { name: pod, slices: slices + 1 });
    }
    this.#bySlice.set(
      key,
      pods.map(([id]) => id),
    );
    this.#forget(before);
  }

  gone(namespace: string, name: string): void {
    const key = `${namespace}/${name}`;
    const before = this.#bySlice.get(key) ?? [];
    this.#bySlice.delete(key);
    this.#forget(before);
  }

  #forget(ids: readonly string[]): void {
    for (const id of ids) {
      const named = this.#names.get(id);
      if (named === undefined) continue;
      named.slices -= 1;
      if (named.slices === 0) this.#names.delete(id);
    }
  }
}
