// The validations of pods of one revision that are under way: at most one for each address, each
// with the number by which the actor knows it. How a pod is asked is the probe's business. Used by
// served-revision.ts.
import type { ActorKey } from '#machines/contract/address.ts';
import type { RevisionFact, ValidationAnswer } from '#machines/activator/plane.ts';

/** Asks the pod at an address whether it takes requests, and who it is. Answers soon, also where
 *  there is nobody; a rejection counts as a no. `signal`: nobody waits for the answer any more. */
export type Probe = (pod: Probed, signal: AbortSignal) => Promise<ValidationAnswer>;

export interface Probed {
  readonly revision: ActorKey;
  readonly dest: string;
  readonly id: string;
}

interface Parts {
  readonly revision: ActorKey;
  readonly probe: Probe;
  readonly tell: (fact: RevisionFact) => void;
}

const refusal: ValidationAnswer = { isOk: false, id: undefined };

export class Validations {
  readonly #parts: Parts;
  readonly #underWay = new Map<string, AbortController>();
  #attempts = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The highest number so far. */
  get attempts(): number {
    return this.#attempts;
  }

  get size(): number {
    return this.#underWay.size;
  }

  /** In place of the one that is under way for the address. */
  begin({ dest, id, attempt }: { dest: string; id: string; attempt: number }): void {
    this.cancel(dest);
    this.#attempts = Math.max(this.#attempts, attempt);
    const controller = new AbortController();
    this.#underWay.set(dest, controller);
    void this.#ask({ revision: this.#parts.revision, dest, id }, controller).then((answer) => {
      if (this.#underWay.get(dest) !== controller) return;
      this.#underWay.delete(dest);
      this.#parts.tell({ type: 'pod.validated', dest, attempt, ...answer });
    });
  }

  cancel(dest: string): void {
    this.#underWay.get(dest)?.abort();
    this.#underWay.delete(dest);
  }

  cancelAll(): void {
    for (const dest of this.#underWay.keys()) this.cancel(dest);
  }

  async #ask(pod: Probed, { signal }: AbortController): Promise<ValidationAnswer> {
    try {
      return await this.#parts.probe(pod, signal);
    } catch {
      return refusal;
    }
  }
}
