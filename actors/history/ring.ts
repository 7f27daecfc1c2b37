// The ring of facts: the newest of this process by place, by actor and by trace. The journal puts
// each fact in; the questions `history` and `trace` and the inspector read. Facts are held as plain
// data, so that none keeps an actor or an object of the cache alive. Both indices are links from a
// fact to the one before it, and end with the oldest fact in the ring: they never outgrow it. What
// may hold a secret is masked here, before anybody is told.
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import { masked } from '#machines/kubernetes/mask.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Fact } from './facts.ts';
import type { FactHistory, Recorded } from './history.ts';
import { Listeners } from './listeners.ts';

interface Options {
  readonly capacity: number;
  /** As of Listeners. */
  readonly broken?: (error: unknown) => void;
}

/** An actor with facts in the ring. */
interface Known {
  readonly id: string;
  /** Shared by its facts: whoever noted them may have hung more on theirs. */
  readonly key: ActorKey;
  newest: number;
}

interface Slot {
  readonly fact: Recorded;
  readonly actor: Known;
  /** Places of the facts before of the same actor and trace; 0: there was none. */
  readonly beforeOfActor: number;
  readonly beforeOfTrace: number;
}

export class FactRing implements FactHistory {
  readonly #options: Options;
  readonly #slots: Slot[] = [];
  readonly #actors = new Map<string, Known>();
  /** The newest fact of each trace. */
  readonly #traces = new Map<string, number>();
  readonly #listeners: Listeners<Recorded>;
  #newest = 0;

  constructor(options: Options) {
    this.#options = options;
    this.#listeners = new Listeners(options.broken);
  }

  get newest(): number {
    return this.#newest;
  }

  get oldest(): number {
    return this.#newest === 0 ? 0 : this.#newest - this.#slots.length + 1;
  }

  /** Actors and traces that are indexed, neither ever more than there are facts. */
  get indexed(): { readonly actors: number; readonly traces: number } {
    return { actors: this.#actors.size, traces: this.#traces.size };
  }

  /** Puts a fact in, without its secrets; the oldest goes where it is full. */
  add({ id, cause, trace, at, about, what, ...fact }: Fact): Recorded {
    const sequence = this.#newest + 1;
    const index = this.#newest % this.#options.capacity;
    const oldest = this.#slots[index];
    if (oldest !== undefined) this.#forget(oldest);
    const actor = this.#known(about);
    const data = masked(fact.data);
    const recorded = { sequence, id, cause, trace, at, about: actor.key, what, data };
    const beforeOfTrace = this.#traces.get(trace) ?? 0;
    this.#slots[index] = { fact: recorded, actor, beforeOfActor: actor.newest, beforeOfTrace };
    this.#traces.set(trace, sequence);
    actor.newest = sequence;
    this.#newest = sequence;
    this.#listeners.tell(recorded);
    return recorded;
  }

  after(sequence: number, limit: number): readonly Recorded[] {
    const facts: Recorded[] = [];
    const first = Math.max(sequence + 1, this.oldest);
    const end = Math.min(this.#newest, first + limit - 1);
    for (let place = first; place <= end; place++) {
      const slot = this.#at(place);
      if (slot !== undefined) facts.push(slot.fact);
    }
    return facts;
  }

  of(actor: string, limit: number, before = Infinity): readonly Recorded[] {
    const facts: Recorded[] = [];
    let slot = this.#at(this.#actors.get(actor)?.newest ?? 0);
    while (slot !== undefined && facts.length < limit) {
      if (slot.fact.sequence < before) facts.push(slot.fact);
      slot = this.#at(slot.beforeOfActor);
    }
    return facts;
  }

  trace(id: string): readonly Recorded[] {
    const facts: Recorded[] = [];
    let slot = this.#at(this.#traces.get(id) ?? 0);
    while (slot !== undefined) {
      facts.push(slot.fact);
      slot = this.#at(slot.beforeOfTrace);
    }
    return facts.toReversed();
  }

  /** Looks at all of them: the clock may have been set back between two. */
  between(from: EpochMs, to: EpochMs, limit: number): readonly Recorded[] {
    const facts: Recorded[] = [];
    for (let place = this.oldest; place <= this.#newest && facts.length < limit; place++) {
      const fact = this.#at(place)?.fact;
      if (fact !== undefined && fact.at >= from && fact.at <= to) facts.push(fact);
    }
    return facts;
  }

  subscribe(listener: (fact: Recorded) => void): () => void {
    return this.#listeners.add(listener);
  }

  #at(place: number): Slot | undefined {
    if (place < 1 || place < this.oldest) return undefined;
    return this.#slots[(place - 1) % this.#options.capacity];
  }

  #known(about: ActorKey): Known {
    const id = actorId(about);
    const there = this.#actors.get(id);
    if (there !== undefined) return there;
    const { kind, namespace, name } = about;
    const known = { id, key: { kind, namespace, name }, newest: 0 };
    this.#actors.set(id, known);
    return known;
  }

  #forget({ fact, actor }: Slot): void {
    const { sequence, trace } = fact;
    if (actor.newest === sequence) this.#actors.delete(actor.id);
    if (this.#traces.get(trace) === sequence) this.#traces.delete(trace);
  }
}
