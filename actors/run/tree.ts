// Trees of actors under their root objects, grouped by shard. A tree lives in one process. This
// file knows where each actor is and nothing of what it does.
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { MachineEvent } from '../mail/mailbox.ts';
import { entryOf } from '../maps.ts';
import type { Clock } from '../ports.ts';
import type { Actor } from './actor.ts';
import { Deadlines } from './deadlines.ts';
import { reconcile, reduce, start, type Step } from './step.ts';

interface Tree {
  readonly root: ActorKey;
  readonly shard: number;
  readonly actors: Set<Actor>;
}

interface Options {
  readonly clock: Clock;
  /** Hears of a chart that was in a state that cannot be, and was restored; absent: such a step
   *  fails. */
  readonly impossible?: (actor: Actor, what: string) => void;
}

export class Trees {
  readonly #options: Options;
  readonly #trees = new Map<string, Tree>();
  readonly #actors = new Map<string, Actor>();
  readonly #deadlines = new Map<number, Deadlines>();

  constructor(options: Options) {
    this.#options = options;
  }

  get size(): number {
    return this.#actors.size;
  }

  find(id: string): Actor | undefined {
    return this.#actors.get(id);
  }

  /** The one timer of a shard. */
  deadlines(shard: number): Deadlines {
    return entryOf(this.#deadlines, shard, () => new Deadlines(this.#options.clock));
  }

  /** Gives the actor a place in its tree and starts its behaviour. */
  place(actor: Actor): Step {
    const { root, shard } = actor;
    const fresh = (): Tree => ({ root, shard, actors: new Set() });
    entryOf(this.#trees, actorId(root), fresh).actors.add(actor);
    this.#actors.set(actor.id, actor);
    return start(actor);
  }

  /** Starts the behaviour of a placed actor anew. */
  restart(actor: Actor): Step | undefined {
    return this.#has(actor) ? start(actor) : undefined;
  }

  reduce(actor: Actor, event: MachineEvent): Step | undefined {
    return this.#has(actor) ? reduce(actor, event) : undefined;
  }

  reconcile(actor: Actor, now: EpochMs): Step | undefined {
    if (!this.#has(actor)) return undefined;
    const { impossible } = this.#options;
    return reconcile(actor, now, impossible && ((what) => impossible(actor, what)));
  }

  /** Takes the actor out; an empty tree is closed. */
  remove(actor: Actor): void {
    if (!this.#has(actor)) return;
    this.#actors.delete(actor.id);
    const id = actorId(actor.root);
    const tree = this.#trees.get(id);
    tree?.actors.delete(actor);
    if (tree?.actors.size === 0) this.#trees.delete(id);
  }

  all(): Iterable<Actor> {
    return this.#actors.values();
  }

  /** The trees with their actors, for `/actors`. */
  overview(): Iterable<Tree> {
    return this.#trees.values();
  }

  stop(): void {
    for (const deadlines of this.#deadlines.values()) deadlines.stop();
  }

  #has(actor: Actor): boolean {
    return this.#actors.get(actor.id) === actor;
  }
}
