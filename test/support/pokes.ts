// Pauses of single objects, measured from outside: a pod of each set is deleted, one set after the
// other, and the time until its successor is there is how long nobody minded the set. Used by tests
// of several processes.
import { setTimeout as pause } from 'node:timers/promises';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { Place } from './place.ts';
import { must } from './workload.ts';

export interface Pauses {
  readonly count: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

interface Poke {
  readonly since: number;
  readonly took: (ms: number) => void;
}

/** The PodClique that a pod belongs to. */
const cliqueOf = (pod: unknown): string =>
  text(at(list(at(pod, 'metadata', 'ownerReferences'))[0], 'name'));

export class Pokes {
  readonly #place: Place;
  readonly #namespace: string;
  readonly #open = new Map<string, Poke>();
  readonly #results: Promise<number>[] = [];
  readonly #end: () => void;

  constructor(place: Place, namespace: string) {
    this.#place = place;
    this.#namespace = namespace;
    this.#end = place.onlooker.onSight(({ type, resource, namespace: where, object }) => {
      if (type !== 'ADDED' || resource !== 'pods' || where !== namespace) return;
      const poke = this.#open.get(cliqueOf(object));
      if (poke === undefined) return;
      this.#open.delete(cliqueOf(object));
      poke.took(performance.now() - poke.since);
    });
  }

  /** Deletes a pod of every clique, `everyMs` apart. */
  async all(everyMs: number): Promise<void> {
    const { onlooker, client } = this.#place;
    const pods = new Map<string, string>();
    for (const [name, pod] of onlooker.all('pods', this.#namespace)) pods.set(cliqueOf(pod), name);
    const begin = performance.now();
    let count = 0;
    for (const [clique, name] of pods) {
      const ahead = begin + count++ * everyMs - performance.now();
      if (ahead > 0) await pause(ahead);
      this.#results.push(
        new Promise((took) => this.#open.set(clique, { since: performance.now(), took })),
      );
      const path = `/api/v1/namespaces/${this.#namespace}/pods/${name}`;
      await must(client, { method: 'DELETE', path, body: { gracePeriodSeconds: 0 } });
    }
  }

  /** When every pod has its successor. */
  async pauses(): Promise<Pauses> {
    const { onlooker } = this.#place;
    const tell = (): unknown => [...this.#open.keys()].slice(0, 5);
    await onlooker.until('all replaced', () => this.#open.size === 0, tell, 90_000);
    this.#end();
    const sorted = (await Promise.all(this.#results)).toSorted((a, b) => a - b);
    const share = (part: number): number =>
      Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
    const [medianMs, p99Ms, maxMs] = [share(0.5), share(0.99), share(1)];
    return { count: sorted.length, medianMs, p99Ms, maxMs };
  }
}
