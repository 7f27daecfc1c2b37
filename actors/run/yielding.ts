// Actors whose reconcile gives way: nobody waits for what comes of it, and other objects wait for
// writes that are in flight. They reconcile when none of these is left, or a while later in any
// case, and take in what came meanwhile in one reconcile. Used by scheduler.ts.
import type { Limits } from '../limits.ts';
import type { Cause } from '../mail/causality.ts';
import type { MachineEvent } from '../mail/mailbox.ts';
import type { Clock } from '../ports.ts';
import type { Actor } from './actor.ts';

/** What somebody waits for, whatever the behaviour says: an edit by a user, a write that has
 *  failed, and one that was turned away as another one of the same object was under way. */
export const isPressing = (event: MachineEvent['type'], { isEdit }: Cause): boolean =>
  isEdit === true || event === 'effect.failed' || event === 'effect.retry';

interface Parts {
  readonly clock: Clock;
  readonly limits: Pick<Limits, 'yieldMs' | 'yieldReconcileMs' | 'yieldBatch'>;
  /** Objects wait for writes that are in flight. */
  readonly isPressed: () => boolean;
  /** These are to reconcile now. */
  readonly resumed: (actors: readonly Actor[]) => void;
}

interface Entry {
  readonly actor: Actor;
  /** On the steady clock. */
  readonly since: number;
}

export class Yielding {
  readonly #parts: Parts;
  /** In the order in which they came. Whoever was touched meanwhile by news that somebody waits for
   *  does not yield any more, or does anew. */
  #entries: Entry[] = [];
  #cancel: (() => void) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get isEmpty(): boolean {
    return this.#entries.length === 0;
  }

  add(actor: Actor): void {
    const since = this.#parts.clock.steady();
    actor.yieldsSince = since;
    if (this.#entries.push({ actor, since }) === 1) this.#lookLater();
  }

  stop(): void {
    this.#cancel?.();
  }

  #lookLater(): void {
    const { clock, limits } = this.#parts;
    this.#cancel = clock.at(clock.now() + limits.yieldMs, () => this.#look());
  }

  #look(): void {
    const { isPressed, resumed } = this.#parts;
    const some = isPressed() ? this.#takeOverdue() : this.#takeRootsFirst();
    if (this.#entries.length > 0) this.#lookLater();
    const actors = some.filter(({ actor, since }) => actor.yieldsSince === since);
    for (const { actor } of actors) actor.yieldsSince = undefined;
    if (actors.length > 0) resumed(actors.map(({ actor }) => actor));
  }

  /** Some at a time, as what comes meanwhile has to wait for all of them. */
  #takeOverdue(): readonly Entry[] {
    const { clock, limits } = this.#parts;
    const now = clock.steady();
    const first = this.#entries.findIndex(({ since }) => now - since < limits.yieldReconcileMs);
    const count = first < 0 ? this.#entries.length : first;
    return this.#entries.splice(0, Math.min(count, limits.yieldBatch));
  }

  /** A pool has members to make; those that were claimed have only something to tell. */
  #takeRootsFirst(): readonly Entry[] {
    const { roots = [], others = [] } = Object.groupBy(this.#entries, ({ actor }) =>
      actor.isRoot ? 'roots' : 'others',
    );
    const some = [...roots, ...others].slice(0, this.#parts.limits.yieldBatch);
    const taken = new Set(some);
    this.#entries = this.#entries.filter((entry) => !taken.has(entry));
    return some;
  }
}
