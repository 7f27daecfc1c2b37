// Pods of which some were too many when a wish was shown to a process: so many of them it may have
// chosen to go, and the next wish does not take that back. Part of decisions.ts.
import type { Stored } from '#src/devcluster/contract.ts';
import { uidOf } from '../fields.ts';

interface Excess {
  readonly pods: ReadonlySet<string>;
  /** Changes of hands by then: who gains a shard anew chooses anew. */
  readonly moment: number;
  left: number;
}

export class Excesses {
  /** By PodClique. */
  readonly #excesses = new Map<string, Excess>();

  /** A wish, undefined where there is none any more, and the pods that are to stay. */
  notice(
    clique: string,
    desired: number | undefined,
    live: readonly Stored[],
    moment: number,
  ): void {
    if (desired === undefined) return void this.#excesses.delete(clique);
    const left = live.length - desired;
    if (left > 0) this.#excesses.set(clique, { pods: new Set(live.map(uidOf)), moment, left });
  }

  /** True where this pod may have been chosen when there were too many; then one less may be. */
  take(clique: string, pod: string, moment: number): boolean {
    const excess = this.#excesses.get(clique);
    if (excess === undefined || excess.left === 0 || !excess.pods.has(pod)) return false;
    excess.left--;
    return excess.moment === moment;
  }
}
