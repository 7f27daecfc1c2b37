// What must never happen, watched at the store of the API server, at every version, by code that
// knows nothing of the code under test.
import type { Change } from '#src/devcluster/api/collection.ts';
import type { Store } from '#src/devcluster/api/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, listAt, numberAt, textAt, uidOf } from './dig.ts';

export interface Oracles {
  /** Sentences, with the version at which each happened. */
  readonly violations: readonly string[];
  readonly podsEverCreated: number;
  /** Commits so far by kind and type, e.g. `pods ADDED`. */
  readonly commits: Readonly<Record<string, number>>;
  /** Version of the last commit that was not a node's or a lease's. */
  readonly lastChange: number;
  stop(): void;
}

const gate = 'grove.io/podgang-pending-creation';
const watched = {
  pods: '/pods',
  podcliques: 'grove.io/podcliques',
  podcliquesets: 'grove.io/podcliquesets',
  podgangs: 'scheduler.grove.io/podgangs',
  services: '/services',
} as const;

export function watchOracles(store: Store): Oracles {
  const oracle = new Watcher(store);
  const ends = Object.entries(watched).map(([name, resource]) =>
    store.collection(resource).onChange((change) => oracle.take(name, change)),
  );
  return {
    get violations() {
      return oracle.violations;
    },
    get podsEverCreated() {
      return oracle.podsEverCreated;
    },
    get commits() {
      return oracle.commits;
    },
    get lastChange() {
      return oracle.lastChange;
    },
    stop: () => ends.forEach((end) => end()),
  };
}

class Watcher {
  readonly violations: string[] = [];
  readonly commits: Record<string, number> = {};
  podsEverCreated = 0;
  lastChange = 0;
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  take(resource: string, change: Change): void {
    const key = `${resource} ${change.type}`;
    this.commits[key] = (this.commits[key] ?? 0) + 1;
    this.lastChange = change.version;
    if (resource === 'pods') this.#takePod(change);
    if (change.type === 'MODIFIED') this.#takeUpdate(resource, change);
  }

  #takePod({ type, object, previous, version }: Change): void {
    if (type === 'ADDED') {
      this.podsEverCreated++;
      this.#checkCrowd(object, version);
    }
    if (type === 'MODIFIED' && previous !== undefined && isGated(previous) && !isGated(object)) {
      if (!this.#isListed(object))
        this.#violate(version, `the gate of ${nameOf(object)} went before its PodGang lists it`);
    }
  }

  /** No two live pods of a clique with one index; never more live pods than wanted. */
  #checkCrowd(pod: Stored, version: number): void {
    const clique = labelsOf(pod)['grove.io/podclique'] ?? '';
    const namespace = textAt(pod, 'metadata', 'namespace');
    const owner = this.#store.collection(watched.podcliques).get(namespace, clique);
    if (owner === undefined)
      return this.#violate(
        version,
        `pod ${nameOf(pod)} was created for ${clique}, which is not there`,
      );
    const ownerUid = textAt(listAt(pod, 'metadata', 'ownerReferences')[0], 'uid');
    if (ownerUid !== uidOf(owner))
      return this.#violate(version, `pod ${nameOf(pod)} belongs to another ${clique}`);
    const live = this.#store
      .collection(watched.pods)
      .list(namespace)
      .filter((other) => labelsOf(other)['grove.io/podclique'] === clique && isLive(other));
    const indices = live.map((other) => labelsOf(other)['grove.io/podclique-pod-index']);
    if (new Set(indices).size < indices.length) {
      this.#violate(version, `pods of ${clique} share an index: ${indices.join(', ')}`);
    }
    const wanted = this.#mostWanted(clique, numberAt(owner, 'spec', 'replicas'));
    if (live.length > wanted)
      this.#violate(version, `${clique} wants ${wanted} pods and has ${live.length}`);
  }

  /** A scale-in may be on its way to the controller: the larger of the last two wishes counts. */
  #mostWanted(clique: string, now: number): number {
    return Math.max(now, this.#before.get(clique) ?? now);
  }

  readonly #before = new Map<string, number>();

  #takeUpdate(resource: string, { object, previous, version }: Change): void {
    if (previous === undefined) return;
    if (resource === 'podcliques')
      this.#before.set(nameOf(object), numberAt(previous, 'spec', 'replicas'));
    const generations = [previous, object].map((state) =>
      numberAt(state, 'status', 'observedGeneration'),
    );
    if ((generations[1] ?? 0) < (generations[0] ?? 0)) {
      this.#violate(version, `observedGeneration of ${nameOf(object)} went back`);
    }
    for (const field of ['labels', 'annotations']) {
      const lost = foreign(at(previous, 'metadata', field)).filter(
        (key) => !(key in asRecord(at(object, 'metadata', field))),
      );
      if (lost.length > 0)
        this.#violate(version, `${nameOf(object)} lost foreign ${field} ${lost.join(', ')}`);
    }
    const lostFinalizers = listAt(previous, 'metadata', 'finalizers').filter(
      (finalizer) =>
        String(finalizer).startsWith('foreign/') &&
        !listAt(object, 'metadata', 'finalizers').includes(finalizer),
    );
    if (lostFinalizers.length > 0)
      this.#violate(version, `${nameOf(object)} lost finalizer ${lostFinalizers.join(', ')}`);
  }

  #isListed(pod: Stored): boolean {
    const gang = this.#store
      .collection(watched.podgangs)
      .get(textAt(pod, 'metadata', 'namespace'), labelsOf(pod)['grove.io/podgang'] ?? '');
    return listAt(gang, 'spec', 'podgroups').some((group) =>
      listAt(group, 'podReferences').some((reference) => textAt(reference, 'name') === nameOf(pod)),
    );
  }

  #violate(version: number, what: string): void {
    this.violations.push(`at version ${version}: ${what}`);
  }
}

const nameOf = (object: Stored): string => textAt(object, 'metadata', 'name');
const asRecord = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
const foreign = (map: unknown): string[] =>
  Object.keys(asRecord(map)).filter((key) => key.startsWith('foreign/'));
const isGated = (pod: Stored): boolean =>
  listAt(pod, 'spec', 'schedulingGates').some((row) => textAt(row, 'name') === gate);

/** Not terminating and not done: what counts towards replicas. */
export const isLive = (pod: Stored): boolean =>
  at(pod, 'metadata', 'deletionTimestamp') === undefined &&
  !['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
