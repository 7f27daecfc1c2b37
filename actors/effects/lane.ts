// One object's place in the effect runner: at most one write in flight and one that waits, the
// pause after a failure, and who wanted to write meanwhile. A lane that holds nothing is thrown
// away.
import { refKey } from '#machines/contract/address.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import type { Kind } from '#machines/kinds.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Cause } from '../mail/causality.ts';
import type { Actor } from '../run/actor.ts';
import type { Work } from './work.ts';

export interface Lane {
  readonly ref: ObjectRef;
  /** Of the ref, as the cache has it. */
  readonly key: string;
  queued: Work | undefined;
  /** Since when a lazy status waits for things to come to rest; it is not in the queue then. */
  heldSince: number | undefined;
  flying: Flight | undefined;
  /** Failures in a row. */
  failures: number;
  /** Of these the last ones that were a 403. */
  forbidden: number;
  /** Backing off, or refused. */
  pause: Pause | undefined;
  /** Actors whose intents were dropped while the lane was busy: each hears `effect.retry`. */
  readonly waiters: Map<Actor, Cause>;
  /** The last write that was sent and may have been done, for causality. */
  lastTry: Cause | undefined;
}

export interface Flight {
  readonly work: Work;
  /** The write as a cause of what follows. */
  readonly link: Cause;
  /** On the steady clock. */
  readonly since: number;
  /** Versions seen meanwhile that may be this write's own echo, with what to do if they were
   *  not. */
  readonly echoes: { readonly version: string; readonly wasOther: () => void }[];
}

export interface Pause {
  readonly work: Work;
  readonly code: string;
  readonly message: string;
  /** Null: not before a new generation of the actor's own object. */
  readonly until: EpochMs | null;
  /** True when a new generation of the actor's own object ends it early. */
  readonly endsWithGeneration: boolean;
  /** The server named the time: whoever wants to write to the object waits for it. */
  readonly isAsked: boolean;
}

export class Lanes {
  readonly #lanes = new Map<string, Lane>();
  readonly #paused = new Set<Lane>();

  get size(): number {
    return this.#lanes.size;
  }

  find(key: string): Lane | undefined {
    return this.#lanes.get(key);
  }

  open(ref: ObjectRef): Lane {
    const key = refKey(ref);
    let lane = this.#lanes.get(key);
    if (lane === undefined) {
      lane = {
        ref,
        key,
        queued: undefined,
        heldSince: undefined,
        flying: undefined,
        failures: 0,
        forbidden: 0,
        pause: undefined,
        waiters: new Map(),
        lastTry: undefined,
      };
      this.#lanes.set(key, lane);
    }
    return lane;
  }

  /** Throws the lane away if nothing would be lost. */
  tidy(lane: Lane): void {
    if (lane.queued !== undefined || lane.flying !== undefined || lane.pause !== undefined) return;
    if (lane.failures > 0 || lane.waiters.size > 0) return;
    if (this.#lanes.get(lane.key) === lane) this.#lanes.delete(lane.key);
  }

  pause(lane: Lane, pause: Pause): void {
    lane.pause = pause;
    this.#paused.add(lane);
  }

  resume(lane: Lane): void {
    lane.pause = undefined;
    this.#paused.delete(lane);
  }

  /** Lanes that pause because there is no such kind, or no such object. */
  missing(kind: Kind): Lane[] {
    return [...this.#paused].filter(
      ({ ref, pause }) => ref.kind === kind && pause?.code === 'NOT_FOUND',
    );
  }

  /** Lanes that pause because of this actor's writes. */
  pausedBy(actor: Actor): Lane[] {
    return [...this.#paused].filter((lane) => lane.pause?.work.actor === actor);
  }
}
