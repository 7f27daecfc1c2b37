// The simulated node agent does not run images, so it keeps the promise of Grove's init container
// itself: `grove-initc --podcliques=<PodClique>:<count>` is over once that many pods of each named
// PodClique of the same gang are ready (spec api 3.9).
import type { JsonObject } from '#machines/objects.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { listAt, objectAt, objectsAt, textAt, textsAt } from '#src/devcluster/strategies/json.ts';
import { keyOf, namespaceOf } from '../client.ts';

const containerName = 'grove-initc';
const gangLabel = 'grove.io/podgang';
const cliqueLabel = 'grove.io/podclique';

/** `namespace/gang` of a pod; undefined where it is in none. */
function gangOf(pod: Stored): string | undefined {
  const gang = textsAt(pod.metadata, 'labels')[gangLabel];
  return gang === undefined ? undefined : `${namespaceOf(pod)}/${gang}`;
}

/** The init container of a pod that waits for others, by name. */
export const isStartupWait = (container: JsonObject): boolean =>
  textAt(container, 'name') === containerName && parentsOf(container).size > 0;

/** PodClique to the number of its pods that must be ready. */
function parentsOf(container: JsonObject): Map<string, number> {
  const parents = new Map<string, number>();
  for (const argument of [...listAt(container, 'command'), ...listAt(container, 'args')]) {
    if (typeof argument !== 'string') continue;
    const match = /^--podcliques=([^:]+):([1-9]\d*)$/.exec(argument.trim());
    if (match?.[1] !== undefined) parents.set(match[1], Number(match[2]));
  }
  return parents;
}

const isReady = (pod: Stored): boolean =>
  objectsAt(objectAt(pod, 'status'), 'conditions').some(
    (each) => each['type'] === 'Ready' && each['status'] === 'True',
  );

/** Follows the ready pods of every gang and tells which waiting pods to look at again. */
export class StartupOrder {
  /** Gang to clique to the keys of its ready pods. */
  readonly #ready = new Map<string, Map<string, Set<string>>>();
  /** Gang to the keys of pods that wait. */
  readonly #waiting = new Map<string, Set<string>>();
  readonly #wake: (key: string) => void;

  constructor(wake: (key: string) => void) {
    this.#wake = wake;
  }

  seen(pod: Stored): void {
    const gang = gangOf(pod);
    const clique = textsAt(pod.metadata, 'labels')[cliqueLabel];
    if (gang === undefined || clique === undefined) return;
    const cliques = this.#ready.get(gang) ?? new Map<string, Set<string>>();
    const pods = cliques.get(clique) ?? new Set<string>();
    const before = pods.size;
    if (isReady(pod)) pods.add(keyOf(pod));
    else pods.delete(keyOf(pod));
    cliques.set(clique, pods);
    this.#ready.set(gang, cliques);
    if (pods.size > before) for (const key of this.#waiting.get(gang) ?? []) this.#wake(key);
  }

  gone(pod: Stored): void {
    const gang = gangOf(pod);
    if (gang === undefined) return;
    const clique = textsAt(pod.metadata, 'labels')[cliqueLabel] ?? '';
    this.#ready.get(gang)?.get(clique)?.delete(keyOf(pod));
    this.#waiting.get(gang)?.delete(keyOf(pod));
  }

  /** True when all that the container waits for is ready; otherwise the pod is woken later. */
  isMet(pod: Stored, container: JsonObject): boolean {
    const gang = gangOf(pod);
    if (gang === undefined) return true;
    const cliques = this.#ready.get(gang);
    const met = [...parentsOf(container)].every(
      ([clique, count]) => (cliques?.get(clique)?.size ?? 0) >= count,
    );
    const waiting = this.#waiting.get(gang) ?? new Set<string>();
    if (met) waiting.delete(keyOf(pod));
    else waiting.add(keyOf(pod));
    this.#waiting.set(gang, waiting);
    return met;
  }
}
