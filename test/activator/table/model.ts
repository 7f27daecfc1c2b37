// A table of pods as one would write it without a thought of speed: objects in an array, everything
// else found by scanning. The tests of histories hold the real one to it.
import type {
  PodState,
  PodTarget,
  PolicyName,
  PutOutcome,
  RemoveOutcome,
} from '#src/activator/table/types.ts';

export interface ModelPod {
  readonly dest: string;
  readonly id: string;
  readonly gen: number;
  state: PodState;
  inFlight: number;
  since: number;
  /** When its number of requests last changed, or it became a candidate. */
  queued: number;
}

export class Model {
  /** Up to the high-water mark; undefined: a hole. */
  readonly slots: (ModelPod | undefined)[] = [];
  readonly released: string[] = [];
  limit: number;
  active = 0;
  detached = 0;
  stale = 0;
  full = 0;
  cursor = 0;
  readonly #maxSlots: number;
  readonly #trimThreshold: number;
  readonly #gens = new Map<number, number>();
  #changes = 0;

  constructor(limit: number, maxSlots: number, trimThreshold: number) {
    this.limit = limit;
    this.#maxSlots = maxSlots;
    this.#trimThreshold = trimThreshold;
  }

  get pods(): readonly ModelPod[] {
    return this.slots.filter((pod) => pod !== undefined);
  }

  get candidates(): readonly number[] {
    return this.slots.flatMap((pod, index) =>
      pod !== undefined && isRoutable(pod) && this.#hasPermit(pod) ? [index] : [],
    );
  }

  /** The slots that the policy may choose now; none: no candidate. */
  choices(policy: PolicyName): readonly number[] {
    const { candidates } = this;
    const load = (index: number): number => this.#pod(index).inFlight;
    switch (policy) {
      case 'random':
        return candidates;
      case 'random-choice-2': {
        // The one with the most requests loses to any other.
        const most = Math.max(...candidates.map(load));
        const heaviest = candidates.filter((index) => load(index) === most);
        return heaviest.length > 1 || candidates.length === 1
          ? candidates
          : candidates.filter((index) => load(index) < most);
      }
      case 'first-available':
        return candidates.slice(0, 1);
      case 'round-robin': {
        const next = candidates.find((index) => index >= this.cursor) ?? candidates[0];
        return next === undefined ? [] : [next];
      }
      case 'least-loaded': {
        const queued = (index: number): number => this.#pod(index).queued;
        return candidates
          .toSorted((a, b) => load(a) - load(b) || queued(a) - queued(b))
          .slice(0, 1);
      }
    }
  }

  take(index: number): void {
    this.cursor = index + 1;
    this.active += 1;
    this.#load(this.#pod(index), 1);
  }

  giveBack(index: number, gen: number): void {
    const pod = this.slots[index];
    if (pod === undefined || pod.gen !== gen) {
      this.stale += 1;
      if (this.detached === 0) return;
      this.detached -= 1;
      this.active -= 1;
      return;
    }
    this.active -= 1;
    this.#load(pod, -1);
    if (pod.state !== 'draining' || pod.inFlight > 0) return;
    this.#release(index, 'drained');
    this.#trim();
  }

  put({ dest, id, state }: PodTarget, now: number): PutOutcome {
    const pod = this.pods.find((one) => one.dest === dest);
    if (pod === undefined) return this.#allocate({ dest, id, state }, now) ? 'added' : 'full';
    if (pod.id !== id) return 'occupied';
    if (pod.state === state) return 'unchanged';
    this.#setState(pod, state, now);
    return 'changed';
  }

  remove(dest: string, id: string | undefined, now: number): RemoveOutcome {
    const index = this.slots.findIndex((one) => one?.dest === dest);
    if (index < 0) return 'absent';
    if (id !== undefined && this.#pod(index).id !== id) return 'other';
    const outcome = this.#leave(index, now);
    this.#trim();
    return outcome;
  }

  recalculate(pods: readonly PodTarget[], now: number): void {
    const wanted = new Map(pods.toReversed().map((pod) => [pod.dest, pod]));
    const isKept = ({ dest, id }: ModelPod): boolean => wanted.get(dest)?.id === id;
    for (const { dest, state } of pods) {
      const pod = this.pods.find((one) => one.dest === dest);
      if (pod === undefined || !isKept(pod) || wanted.get(dest)?.state !== state) continue;
      if (pod.state !== state) this.#setState(pod, state, now);
    }
    this.slots.forEach((pod, index) => {
      if (pod !== undefined && !isKept(pod)) this.#leave(index, now);
    });
    for (const pod of pods) {
      if (this.pods.every(({ dest }) => dest !== pod.dest)) this.#allocate(pod, now);
    }
    this.#trim();
  }

  setLimit(limit: number): void {
    const before = new Set(this.candidates);
    this.limit = limit;
    for (const index of this.candidates) if (!before.has(index)) this.#queue(this.#pod(index));
  }

  removeStale(cutoff: number): void {
    this.#releaseAll(
      'stale',
      (pod) => pod.state === 'not-ready' && pod.since < cutoff && pod.inFlight === 0,
    );
  }

  releaseDrained(cutoff: number): void {
    this.#releaseAll('deadline', (pod) => pod.state === 'draining' && pod.since <= cutoff);
  }

  #pod(index: number): ModelPod {
    const pod = this.slots[index];
    if (pod === undefined) throw new Error(`slot ${index} is a hole`);
    return pod;
  }

  #hasPermit(pod: ModelPod): boolean {
    return this.limit === 0 || pod.inFlight < this.limit;
  }

  #queue(pod: ModelPod): void {
    this.#changes += 1;
    pod.queued = this.#changes;
  }

  #load(pod: ModelPod, by: 1 | -1): void {
    pod.inFlight += by;
    this.#queue(pod);
  }

  #setState(pod: ModelPod, state: PodState, now: number): void {
    const was = isRoutable(pod);
    pod.state = state;
    pod.since = now;
    if (!was && isRoutable(pod)) this.#queue(pod);
  }

  #allocate({ dest, id, state }: PodTarget, now: number): boolean {
    const hole = this.slots.indexOf(undefined);
    const index = hole < 0 ? this.slots.length : hole;
    if (index >= this.#maxSlots) {
      this.full += 1;
      return false;
    }
    const gen = (this.#gens.get(index) ?? -1) + 2;
    this.#gens.set(index, gen);
    const pod = { dest, id, gen, state, inFlight: 0, since: now, queued: 0 };
    this.slots[index] = pod;
    this.#queue(pod);
    return true;
  }

  #leave(index: number, now: number): 'released' | 'draining' {
    const pod = this.#pod(index);
    if (pod.inFlight === 0) {
      this.#release(index, 'removed');
      return 'released';
    }
    if (pod.state !== 'draining') this.#setState(pod, 'draining', now);
    return 'draining';
  }

  #releaseAll(cause: string, isDue: (pod: ModelPod) => boolean): void {
    this.slots.forEach((pod, index) => {
      if (pod !== undefined && isDue(pod)) this.#release(index, cause);
    });
    this.#trim();
  }

  #release(index: number, cause: string): void {
    const { id, inFlight } = this.#pod(index);
    this.released.push(`${id} ${cause} ${inFlight}`);
    this.detached += inFlight;
    this.slots[index] = undefined;
  }

  #trim(): void {
    const holes = this.slots.filter((pod) => pod === undefined).length;
    if (holes / this.slots.length <= this.#trimThreshold) return;
    while (this.slots.length > 0 && this.slots.at(-1) === undefined) this.slots.pop();
  }
}

export const isRoutable = ({ state }: { readonly state: PodState }): boolean =>
  state === 'ready' || state === 'recovering';
