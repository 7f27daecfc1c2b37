// What must never happen, watched at the store of the API server, at every version, by code that
// knows nothing of the code under test. What is judged against a wish allows for the time in which
// the controller may not have heard of it.
import type { Clock } from '#actors/ports.ts';
import type { Change } from '#src/devcluster/api/collection.ts';
import type { Store } from '#src/devcluster/api/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, listAt, numberAt, textAt, uidOf } from './dig.ts';
import { lostForeign } from './foreign.ts';
import { Past } from './past.ts';

export interface Oracles {
  /** Sentences, each with the version and the second at which it happened. */
  readonly violations: readonly string[];
  /** Pods that were created, by PodClique. */
  readonly podsCreated: ReadonlyMap<string, number>;
  /** Adds one that was seen elsewhere. */
  violate(what: string): void;
  /** The controller is about to delete this object. */
  judgeOwner(object: Stored): void;
  /** The controller is about to delete this pod. */
  judgePodDelete(pod: Stored): void;
  /** The controller is about to delete this ComputeDomain, or to let it go. */
  judgeDomainEnd(domain: Stored): void;
  stop(): void;
}

const gate = 'grove.io/podgang-pending-creation';
const resources = {
  pods: '/pods',
  podcliques: 'grove.io/podcliques',
  podcliquesets: 'grove.io/podcliquesets',
  podcliquescalinggroups: 'grove.io/podcliquescalinggroups',
  podgangs: 'scheduler.grove.io/podgangs',
  services: '/services',
  serviceaccounts: '/serviceaccounts',
  computedomains: 'resource.nvidia.com/computedomains',
} as const;

const owning: ReadonlySet<string> = new Set([
  'podcliquesets',
  'podcliquescalinggroups',
  'podcliques',
  'podgangs',
]);

export function watchOracles(store: Store, clock: Clock, isMisled: () => boolean): Oracles {
  const watcher = new Watcher(store, clock, isMisled);
  const ends = Object.entries(resources).map(([name, resource]) =>
    store.collection(resource).onChange((change) => watcher.take(name, change)),
  );
  return {
    violations: watcher.violations,
    podsCreated: watcher.podsCreated,
    violate: (what) => watcher.violate(what),
    judgeOwner: (object) => watcher.judgeOwner(object),
    judgePodDelete: (pod) => watcher.judgePodDelete(pod),
    judgeDomainEnd: (domain) => watcher.judgeDomainEnd(domain),
    stop: () => ends.forEach((end) => end()),
  };
}

class Watcher {
  readonly violations: string[] = [];
  readonly podsCreated = new Map<string, number>();
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #startedAt: number;
  /** The controller was given a list from the past lately, which no real server does. */
  readonly #isMisled: () => boolean;
  /** spec.replicas of a PodClique or a PodCliqueSet by UID; absent when it is going. */
  readonly #wishes: Past<number>;
  /** What may own something, by UID: whether it is there. */
  readonly #owners: Past<boolean>;
  /** The pods that a PodClique ever had by its UID, and whether each lives. */
  readonly #crowds = new Map<string, Set<string>>();
  readonly #lives: Past<boolean>;
  /** Whether `gang/pod` is listed. */
  readonly #listings: Past<boolean>;

  constructor(store: Store, clock: Clock, isMisled: () => boolean) {
    this.#isMisled = isMisled;
    this.#store = store;
    this.#clock = clock;
    this.#startedAt = clock.now();
    this.#wishes = new Past(clock);
    this.#lives = new Past(clock);
    this.#owners = new Past(clock);
    this.#listings = new Past(clock);
  }

  take(resource: string, change: Change): void {
    const { object, previous, type } = change;
    if (resource === 'podcliques' || resource === 'podcliquesets') {
      const isGoing = at(object, 'metadata', 'deletionTimestamp') !== undefined;
      const replicas = numberAt(object, 'spec', 'replicas');
      this.#wishes.put(uidOf(object), type === 'DELETED' || isGoing ? undefined : replicas);
    }
    if (owning.has(resource)) {
      this.#owners.put(uidOf(object), type === 'DELETED' ? undefined : true);
    }
    if (resource === 'podgangs') this.#takeGang(change);
    if (resource === 'pods') this.#takePod(change);
    if (type === 'MODIFIED' && previous !== undefined)
      this.#judgeUpdate(resource, previous, object);
  }

  violate(what: string): void {
    const second = ((this.#clock.now() - this.#startedAt) / 1000).toFixed(3);
    this.violations.push(`${second} s, version ${this.#store.version}: ${what}`);
  }

  /** Only what belongs to an object that is there, by its UID; names are used again. */
  judgeOwner(object: Stored): void {
    const owner = controllerOf(object);
    if (this.#owners.most(owner) === true) return;
    this.violate(`${nameOf(object)} is deleted and its owner, ${owner}, was not there lately`);
  }

  /** A pod goes only when there are more than are wanted, or it is of no use any more. */
  judgePodDelete(pod: Stored): void {
    const owner = controllerOf(pod);
    const wanted = this.#wishes.least(owner);
    if (!isLive(pod) || wanted === undefined) return;
    const live = this.#livePods(pod);
    const twins = live.filter((other) => indexOf(other) === indexOf(pod));
    // It may not have heard yet of pods that went, and have made others since.
    const crowd = [...(this.#crowds.get(owner) ?? [])];
    const seemed = crowd.filter((uid) => this.#lives.most(uid) === true).length;
    if (seemed <= wanted && twins.length < 2) {
      this.violate(
        `live pod ${nameOf(pod)} is deleted though ${wanted} are wanted and ${live.length} live`,
      );
    }
  }

  /** No edit takes a group away, so only its replica goes, or the whole set. */
  judgeDomainEnd(domain: Stored): void {
    const wanted = this.#wishes.least(controllerOf(domain));
    const isGoing = at(domain, 'metadata', 'deletionTimestamp') !== undefined;
    const index = Number(labelsOf(domain)['grove.io/podcliqueset-replica-index']);
    if (isGoing || wanted === undefined || index >= wanted) return;
    this.violate(`ComputeDomain ${nameOf(domain)} ends though ${wanted} replicas are wanted`);
  }

  #takeGang({ object, previous, type }: Change): void {
    const before = new Set(previous === undefined ? [] : listedBy(previous));
    const after = new Set(type === 'DELETED' ? [] : listedBy(object));
    for (const name of after) this.#listings.put(`${nameOf(object)}/${name}`, true);
    for (const name of before.difference(after)) {
      this.#listings.put(`${nameOf(object)}/${name}`, undefined);
    }
  }

  #takePod({ type, object, previous }: Change): void {
    if (type === 'ADDED') this.#judgeCreate(object);
    const crowd = this.#crowds.get(controllerOf(object)) ?? new Set();
    this.#crowds.set(controllerOf(object), crowd.add(uidOf(object)));
    const lives = type !== 'DELETED' && isLive(object);
    this.#lives.put(uidOf(object), lives ? true : undefined);
    const wasHeld = type === 'ADDED' || (previous !== undefined && isGated(previous));
    if (type === 'DELETED' || !wasHeld || isGated(object)) return;
    const listing = `${labelsOf(object)['grove.io/podgang'] ?? ''}/${nameOf(object)}`;
    if (this.#listings.most(listing) === undefined) {
      this.violate(`pod ${nameOf(object)} is without its gate and its PodGang does not list it`);
    }
  }

  /** No two live pods of a clique with one index; never more live pods than wanted. */
  #judgeCreate(pod: Stored): void {
    const clique = labelsOf(pod)['grove.io/podclique'] ?? '';
    this.podsCreated.set(clique, (this.podsCreated.get(clique) ?? 0) + 1);
    const wanted = this.#wishes.most(controllerOf(pod));
    if (wanted === undefined) {
      return this.violate(`pod ${nameOf(pod)} is created for a PodClique that is not there`);
    }
    if (this.#isMisled()) return;
    const live = this.#livePods(pod);
    const indices = live.map(indexOf);
    if (new Set(indices).size < indices.length) {
      this.violate(`pods of ${clique} share an index: ${live.map(withIndex).join(', ')}`);
    }
    if (live.length > wanted) {
      this.violate(`${clique} wants ${wanted} pods and has ${live.map(withIndex).join(', ')}`);
    }
  }

  #livePods(pod: Stored): readonly Stored[] {
    const owner = controllerOf(pod);
    return this.#store
      .collection(resources.pods)
      .list(textAt(pod, 'metadata', 'namespace'))
      .filter((other) => controllerOf(other) === owner && isLive(other));
  }

  #judgeUpdate(resource: string, previous: Stored, object: Stored): void {
    const before = numberAt(previous, 'status', 'observedGeneration');
    const after = numberAt(object, 'status', 'observedGeneration');
    const generation = numberAt(object, 'metadata', 'generation');
    if (after < before) this.violate(`observedGeneration of ${nameOf(object)} went back`);
    if (after > Math.max(generation, 1)) {
      this.violate(`observedGeneration ${after} of ${nameOf(object)} is not of its ${generation}`);
    }
    for (const lost of lostForeign(resource, previous, object)) {
      this.violate(`${resource} ${nameOf(object)} lost ${lost}`);
    }
  }
}

const nameOf = (object: Stored): string => textAt(object, 'metadata', 'name');
const indexOf = (pod: Stored): string => labelsOf(pod)['grove.io/podclique-pod-index'] ?? '';
const withIndex = (pod: Stored): string => `${nameOf(pod)}#${indexOf(pod)}`;

const controllerOf = (object: Stored): string =>
  textAt(
    listAt(object, 'metadata', 'ownerReferences').find((owner) => at(owner, 'controller') === true),
    'uid',
  );

const listedBy = (gang: Stored): readonly string[] =>
  listAt(gang, 'spec', 'podgroups').flatMap((group) =>
    listAt(group, 'podReferences').map((reference) => textAt(reference, 'name')),
  );

const isGated = (pod: Stored): boolean =>
  listAt(pod, 'spec', 'schedulingGates').some((row) => textAt(row, 'name') === gate);

/** Not terminating and not done: what counts towards replicas. */
export const isLive = (pod: Stored): boolean =>
  at(pod, 'metadata', 'deletionTimestamp') === undefined &&
  !['Succeeded', 'Failed'].includes(textAt(pod, 'status', 'phase'));
