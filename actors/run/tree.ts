// Trees of actors under their root objects, grouped by shard. A tree lives in one process. Here it
// is known where each actor is, and one step of one is done: its behaviour is started, takes in an
// event, or is reconciled. A throw ends in the step's result, with the actor as it was before.
import type { AnyMachineSnapshot } from 'xstate';
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import type { Wait } from '#machines/contract/behaviour.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { MachineEvent } from '../mail/mailbox.ts';
import { entryOf } from '../maps.ts';
import type { Clock } from '../ports.ts';
import type { Actor } from './actor.ts';
import { Deadlines } from './deadlines.ts';

export interface Step {
  /** The snapshot is another object than before. */
  readonly changed: boolean;
  readonly before: AnyMachineSnapshot | undefined;
  /** Of a reconcile only, as are `waits`. */
  readonly intents: readonly Intent[];
  readonly waits: readonly Wait[];
  /** What the behaviour threw, boxed; the snapshot is as before then. */
  readonly thrown: { readonly error: unknown } | undefined;
}

interface Taken {
  readonly snapshot: AnyMachineSnapshot;
  readonly intents?: readonly Intent[];
  readonly waits?: readonly Wait[];
}

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

  restart(actor: Actor): Step | undefined {
    return this.#has(actor) ? start(actor) : undefined;
  }

  reduce(actor: Actor, event: MachineEvent): Step | undefined {
    return this.#step(actor, (snapshot) => ({ snapshot: actor.behaviour.reduce(snapshot, event) }));
  }

  reconcile(actor: Actor, now: EpochMs): Step | undefined {
    const { impossible } = this.#options;
    const options =
      impossible === undefined ? {} : { impossible: (what: string) => impossible(actor, what) };
    return this.#step(actor, (snapshot) => actor.behaviour.reconcile(snapshot, now, options));
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

  all(): IteratorObject<Actor> {
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

  #step(actor: Actor, next: (snapshot: AnyMachineSnapshot) => Taken): Step | undefined {
    if (!this.#has(actor)) return undefined;
    const { snapshot } = actor;
    return snapshot === undefined ? nothing : take(actor, () => next(snapshot));
  }
}

function start(actor: Actor): Step {
  const { behaviour, key, root } = actor;
  return take(actor, () => ({ snapshot: behaviour.start({ key, root }) }));
}

const nothing: Step = {
  changed: false,
  before: undefined,
  intents: [],
  waits: [],
  thrown: undefined,
};

function take(actor: Actor, next: () => Taken): Step {
  const before = actor.snapshot;
  try {
    const { snapshot, intents = [], waits = [] } = next();
    actor.snapshot = snapshot;
    return { changed: snapshot !== before, before, intents, waits, thrown: undefined };
  } catch (error) {
    return { ...nothing, before, thrown: { error } };
  }
}
