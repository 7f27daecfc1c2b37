// What must never happen, watched at the store of the API server, at every version, by code that
// knows nothing of the code under test. What a process may decide by what it knows is judged by
// decisions.ts.
import type { Clock } from '#actors/ports.ts';
import type { Change } from '#src/devcluster/api/store/collection.ts';
import type { Store } from '#src/devcluster/api/store/store.ts';
import type { Stored } from '#src/devcluster/contract.ts';
import { at, labelsOf, listAt, numberAt, textAt, uidOf } from '../fields.ts';
import type { Restoring } from '../world/restoring.ts';
import { isOrphan, orphan } from './census.ts';
import { indexOf } from './decisions.ts';
import { controllerOf, isLive, type PodDecision } from './shown.ts';
import type { Tally } from './tally.ts';

export interface Oracles {
  /** Sentences, each with the version and the second at which it happened. */
  readonly violations: readonly string[];
  /** Adds one that was seen elsewhere. */
  violate(what: string): void;
  /** A process asks for a pod of this PodClique. */
  decided(clique: string, name: string, decision: PodDecision): void;
  /** A process asks to delete this pod. */
  deletesPod(pod: string): void;
  stop(): void;
}

export interface OracleOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly tally: Tally;
  /** The controller was given a list from the past lately, which no real server does. */
  readonly isMisled: () => boolean;
  /** While a process lives that read what was before a restore from a backup, nothing is judged. */
  readonly restoring: Readonly<Restoring>;
  /** The most pods that a PodClique may have for any process that lives: what it was shown. */
  readonly mostWanted: (clique: string) => number;
}

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

/** Some are of pods that never come to be. */
const mostDecisions = 10_000;

export function watchOracles(options: OracleOptions): Oracles {
  const watcher = new Watcher(options);
  const ends = Object.entries(resources).map(([name, resource]) =>
    options.store.collection(resource).onChange((change) => watcher.take(name, change)),
  );
  return {
    violations: watcher.violations,
    violate: (what) => watcher.violate(what),
    decided: (clique, name, decision) => watcher.decided(clique, name, decision),
    deletesPod: (pod) => watcher.deletesPod(pod),
    stop: () => ends.forEach((end) => end()),
  };
}

class Watcher {
  readonly violations: string[] = [];
  readonly #options: OracleOptions;
  readonly #startedAt: number;
  /** What was decided of a pod, by the UID of its PodClique and its name; of several attempts what
   *  they have in common. */
  readonly #decisions = new Map<string, PodDecision>();
  /** UIDs of pods that some process has asked to delete. */
  readonly #deletesPod = new Set<string>();

  constructor(options: OracleOptions) {
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  take(resource: string, change: Change): void {
    const { object, previous, type } = change;
    if (resource === 'pods' && type === 'ADDED') this.#judgeCreate(object);
    if (resource === 'pods' && type === 'DELETED') this.#forget(object);
    if (type === 'MODIFIED' && previous !== undefined) this.#judgeUpdate(previous, object);
  }

  violate(what: string): void {
    const { clock, store, restoring } = this.#options;
    if (restoring.isAstray) return;
    const second = ((clock.now() - this.#startedAt) / 1000).toFixed(3);
    this.violations.push(`${second} s, version ${store.version}: ${what}`);
  }

  decided(clique: string, name: string, { desired, known, isUnderWay }: PodDecision): void {
    const key = `${clique} ${name}`;
    const before = this.#decisions.get(key);
    this.#decisions.delete(key);
    this.#decisions.set(key, {
      desired: Math.max(desired, before?.desired ?? 0),
      known: before === undefined ? known : known.intersection(before.known),
      isUnderWay: () => isUnderWay() || before?.isUnderWay() === true,
    });
    if (this.#decisions.size > mostDecisions) forgetOldest(this.#decisions);
  }

  deletesPod(pod: string): void {
    this.#deletesPod.add(pod);
  }

  #forget(pod: Stored): void {
    this.#deletesPod.delete(uidOf(pod));
    // Another attempt may still arrive, that was decided while it lived.
    if (this.#decisionOf(pod)?.isUnderWay() === true) return;
    this.#decisions.delete(`${controllerOf(pod)} ${nameOf(pod)}`);
  }

  /** No two live pods of a clique with one index; never more live pods than wanted. */
  #judgeCreate(pod: Stored): void {
    const { isMisled, tally } = this.#options;
    // Pods of other modules have oracles of their own.
    if (isOfOther(pod)) return;
    if (isOrphan(this.#options.store, pod)) return tally.abstained('pods in the store', orphan);
    const clique = labelsOf(pod)['grove.io/podclique'] ?? '';
    const others = this.#livePods(pod).filter((other) => other !== pod);
    const known = this.#decisionOf(pod)?.known;
    const unknown = others.filter((other) => known?.has(uidOf(other)) !== true);
    const twins = others.filter((other) => indexOf(other) === indexOf(pod));
    const most = this.#mostPods(pod, unknown);
    const staying = others.filter((other) => !this.#deletesPod.has(uidOf(other)));
    const isMuch = staying.length >= most;
    if (
      isMisled() &&
      [...(isMuch ? staying : []), ...twins].some((each) => unknown.includes(each))
    ) {
      return tally.abstained('pods in the store', 'it was not shown a pod, by a list of the past');
    }
    tally.judged('pods in the store');
    const all = [pod, ...others].map(withIndex).join(', ');
    if (twins.length > 0) this.violate(`pods of ${clique} share an index: ${all}`);
    if (isMuch) this.violate(`${clique} wants ${most} pods and has ${all}`);
  }

  /** The largest wish that a process which lives, or asked for one of these pods, may act on. */
  #mostPods(pod: Stored, unknown: readonly Stored[]): number {
    const desiredStates = [pod, ...unknown].map((each) => this.#decisionOf(each)?.desired ?? 0);
    return Math.max(this.#options.mostWanted(controllerOf(pod)), ...desiredStates);
  }

  #decisionOf(pod: Stored): PodDecision | undefined {
    return this.#decisions.get(`${controllerOf(pod)} ${nameOf(pod)}`);
  }

  #livePods(pod: Stored): readonly Stored[] {
    const owner = controllerOf(pod);
    return this.#options.store
      .collection(resources.pods)
      .list(textAt(pod, 'metadata', 'namespace'))
      .filter((other) => controllerOf(other) === owner && isLive(other));
  }

  #judgeUpdate(previous: Stored, object: Stored): void {
    const before = numberAt(previous, 'status', 'observedGeneration');
    const after = numberAt(object, 'status', 'observedGeneration');
    const generation = numberAt(object, 'metadata', 'generation');
    if (after < before) this.violate(`observedGeneration of ${nameOf(object)} went back`);
    if (after > Math.max(generation, 1)) {
      this.violate(`observedGeneration ${after} of ${nameOf(object)} is not of its ${generation}`);
    }
  }
}

function forgetOldest(kept: Map<string, unknown>): void {
  for (const oldest of kept.keys()) return void kept.delete(oldest);
}

const isOfOther = (pod: Stored): boolean =>
  listAt(pod, 'metadata', 'ownerReferences').some(
    (owner) => at(owner, 'controller') === true && textAt(owner, 'kind') !== 'PodClique',
  );

const nameOf = (object: Stored): string => textAt(object, 'metadata', 'name');
const withIndex = (pod: Stored): string => `${nameOf(pod)}#${indexOf(pod)}`;
