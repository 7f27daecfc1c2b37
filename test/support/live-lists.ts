// Lists that actors of a little world ask for, as the runtime makes them: one of each id is under
// way at a time, and one that failed is made anew after its pause, where it is asked for in that.
import type { Intent } from '#machines/contract/intents.ts';

export type ListObjects = Extract<Intent, { type: 'listObjects' }>;

/** What comes of a list; slow ones wait to be answered. */
export type ListOutcome = 'succeeds' | 'fails' | 'isSlow';

interface Asking {
  readonly id: string;
  isTouched: boolean;
}

export interface Listing<A> {
  readonly actor: A;
  readonly intent: ListObjects;
}

interface Paused<A> extends Listing<A> {
  /** It was asked for in its pause. */
  isWanted: boolean;
}

export class LiveLists<A extends Asking> {
  readonly sent: ListObjects[] = [];
  readonly #slow = new Map<string, Listing<A>>();
  readonly #paused = new Map<string, Paused<A>>();

  /** True where it is sent, and is to be answered now unless it is slow. */
  send(actor: A, intent: ListObjects, outcome: ListOutcome): boolean {
    const key = `${actor.id} ${intent.id}`;
    const paused = this.#paused.get(key);
    if (paused !== undefined) paused.isWanted = true;
    if (paused !== undefined || this.#slow.has(key)) return false;
    this.sent.push(intent);
    if (outcome === 'isSlow') this.#slow.set(key, { actor, intent });
    if (outcome === 'fails') this.#paused.set(key, { actor, intent, isWanted: false });
    return true;
  }

  /** The first of the slow ones, which is under way no more. */
  takeSlow(): Listing<A> {
    const [[key, listing] = []] = this.#slow;
    if (key === undefined || listing === undefined) throw new Error('no list is under way');
    this.#slow.delete(key);
    return listing;
  }

  /** Pauses end. */
  pass(): void {
    for (const { actor, isWanted } of this.#paused.values()) actor.isTouched ||= isWanted;
    this.#paused.clear();
  }

  /** All actors are lost. */
  clear(): void {
    this.#slow.clear();
    this.#paused.clear();
  }
}
