// Whose `replicas` are they: those of PodCliques and scaling groups come from the template when
// they are created, and from then on from whoever scales them (spec controllers 1.1.5, 7.2). Judged
// at every version of the store; told by the walker what it asks for.
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import { listAt, numberAt, textAt } from '../fields.ts';
import { nameOf } from '../oracles/complaints.ts';

export class ScaleWatch {
  /** All that the template ever said, by name in it. */
  readonly #ofTemplate = new Map<string, Set<number>>();
  /** What was asked for last, by name of the object. */
  readonly #asked = new Map<string, number>();
  readonly #violate: (what: string) => void;

  constructor(store: Store, violate: (what: string) => void) {
    this.#violate = violate;
    for (const kind of ['grove.io/podcliques', 'grove.io/podcliquescalinggroups']) {
      store.collection(kind).onChange((change) => this.#judge(change));
    }
  }

  /** The set is about to be stored so. */
  template(set: unknown): void {
    for (const clique of listAt(set, 'spec', 'template', 'cliques')) {
      this.#remember(textAt(clique, 'name'), numberAt(clique, 'spec', 'replicas'));
    }
    for (const group of listAt(set, 'spec', 'template', 'podCliqueScalingGroups')) {
      this.#remember(textAt(group, 'name'), numberAt(group, 'replicas'));
    }
  }

  /** The object is about to be scaled. */
  scaled(name: string, replicas: number): void {
    this.#asked.set(name, replicas);
  }

  #remember(name: string, replicas: number): void {
    this.#ofTemplate.set(name, (this.#ofTemplate.get(name) ?? new Set()).add(replicas));
  }

  #judge({ type, object, previous }: Change): void {
    const name = nameOf(object);
    const now = numberAt(object, 'spec', 'replicas');
    if (type === 'ADDED') {
      const known = [...this.#ofTemplate.keys()].filter((each) => name.endsWith(`-${each}`));
      const [own = ''] = known.toSorted((a, b) => b.length - a.length);
      if (this.#ofTemplate.get(own)?.has(now) === true) return;
      return this.#violate(`${name} is created with ${now} replicas, which no template said`);
    }
    const before = numberAt(previous, 'spec', 'replicas');
    if (type === 'DELETED' || now === before || now === this.#asked.get(name)) return;
    this.#violate(`${name} is changed from ${before} to ${now} replicas, which nobody asked for`);
  }
}
