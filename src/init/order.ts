// Decides when a pod may start after others: at least so many ready pods of each PodClique that it
// starts after, all at the same moment. No I/O: `coppice init` and the embedded cluster's plug-in
// feed it with what they watch (src/init/follow.ts).
import { label } from '#machines/grove/objects/labels.ts';
import { conditionStatus, conditionsOf } from '#machines/kubernetes/conditions.ts';
import { object } from '#machines/kubernetes/json.ts';
import type { KubeObject } from '#machines/kubernetes/objects.ts';

/** Names of PodCliques, and how many of the pods of each must be ready. */
export type Parents = ReadonlyMap<string, number>;

export type ParsedParents =
  | { readonly ok: true; readonly parents: Parents }
  /** What is wrong and what would be right. */
  | { readonly ok: false; readonly message: string };

/**
 * Reads values of `--podcliques` as Grove does (spec controllers 6.3): `name:count`, blanks around
 * both are trimmed, empty values are skipped, the last of a repeated name counts.
 */
export function parseParents(values: readonly string[]): ParsedParents {
  const parents = new Map<string, number>();
  for (const value of values) {
    if (value.trim() === '') continue;
    const [name = '', count, ...rest] = value.split(':').map((part) => part.trim());
    if (count === undefined || rest.length > 0) return wrong(value, 'must hold exactly one colon');
    if (name === '') return wrong(value, 'has no name before the colon');
    if (!/^\+?0*[1-9]\d{0,8}$/.test(count)) {
      return wrong(value, `has "${count}" for the count: a whole number above 0 is needed`);
    }
    parents.set(name, Number(count));
  }
  return { ok: true, parents };
}

const wrong = (value: string, what: string): ParsedParents => ({
  ok: false,
  message: `--podcliques "${value}" ${what}; <PodClique>:<count> would be right`,
});

/**
 * The ready pods of the parents. Only their names are kept, so memory is bounded by the pods that
 * are waited for. Pods are told apart by the label `grove.io/podclique`, never by their names, in
 * which `a-0-w` is also the beginning of `a-0-worker` (10.2 gap 2).
 */
export class StartOrder {
  readonly #parents: Parents;
  /** Ready pods by PodClique. */
  readonly #ready = new Map<string, Set<string>>();
  /** PodClique by pod, as a pod that is gone is known by its name only. */
  readonly #cliqueOf = new Map<string, string>();

  constructor(parents: Parents) {
    this.#parents = parents;
  }

  /** All parents have enough ready pods now. */
  get isMet(): boolean {
    return this.missing().length === 0;
  }

  /** The parents that are short of ready pods. */
  missing(): readonly { readonly name: string; readonly ready: number; readonly count: number }[] {
    return Array.from(this.#parents, ([name, count]) => ({
      name,
      ready: this.#ready.get(name)?.size ?? 0,
      count,
    })).filter(({ ready, count }) => ready < count);
  }

  seen(pod: KubeObject): void {
    const { name, labels } = pod.metadata;
    const clique = labels?.[label.podClique] ?? '';
    if (this.#cliqueOf.get(name) !== clique) this.gone(name);
    if (!this.#parents.has(clique)) return;
    if (!isReady(pod)) return this.gone(name);
    const ready = this.#ready.get(clique) ?? new Set<string>();
    this.#ready.set(clique, ready.add(name));
    this.#cliqueOf.set(name, clique);
  }

  gone(pod: string): void {
    const clique = this.#cliqueOf.get(pod);
    if (clique === undefined) return;
    this.#cliqueOf.delete(pod);
    this.#ready.get(clique)?.delete(pod);
  }
}

const isReady = (pod: KubeObject): boolean =>
  conditionStatus(conditionsOf(object(pod['status'])), 'Ready') === 'True';
