// One object's place in the effect runner: at most one write in flight and one that waits, the
// pause after a failure, and who wanted to write meanwhile. An entry that holds nothing is thrown
// away.
import { refKey, type ActorKey, type ObjectRef } from '#machines/contract/address.ts';
import type { Kind } from '#machines/kinds.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Cause } from '../mail/causality.ts';
import { entryOf } from '../maps.ts';
import type { Actor } from '../run/actor.ts';
import type { Work, WriteType } from './work.ts';

export class ObjectWrites {
  readonly ref: ObjectRef;
  /** Of the ref, as the cache has it. */
  readonly key: string;
  queued: Work | undefined;
  /** Since when a lazy status waits for things to come to rest; it is not in the queue then. */
  heldSince: number | undefined;
  flying: InFlightWrite | undefined;
  /** Failures in a row, and when the first of them was. */
  failures = 0;
  failingSince: EpochMs | undefined;
  /** Of these the last ones that were a 403. */
  forbidden = 0;
  /** What the last answer was a refusal of. */
  refused: WriteType | undefined;
  /** Backing off, or refused. */
  pause: Pause | undefined;
  /** Actors whose intents were dropped while the object was busy: each hears `effect.retry`. */
  readonly waiters = new Map<Actor, Cause>();
  /** The last write that was sent and may have been done, for causality. */
  lastTry: Cause | undefined;

  constructor(ref: ObjectRef, key: string) {
    this.ref = ref;
    this.key = key;
  }
}

export interface InFlightWrite {
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

/** As overviews show it. */
export interface BlockedWrite {
  /** Whose write it is. */
  readonly about: ActorKey;
  readonly object: string;
  readonly code: string;
  /** Of the first failure in a row. */
  readonly since: EpochMs;
  readonly until: EpochMs | null;
}

export class WritesByObject {
  readonly #objects = new Map<string, ObjectWrites>();
  readonly #paused = new Set<ObjectWrites>();

  get size(): number {
    return this.#objects.size;
  }

  find(key: string): ObjectWrites | undefined {
    return this.#objects.get(key);
  }

  open(ref: ObjectRef): ObjectWrites {
    const key = refKey(ref);
    return entryOf(this.#objects, key, () => new ObjectWrites(ref, key));
  }

  /** Throws the entry away if nothing would be lost. */
  tidy(writes: ObjectWrites): void {
    if (writes.queued !== undefined || writes.flying !== undefined || writes.pause !== undefined)
      return;
    if (writes.failures > 0 || writes.waiters.size > 0) return;
    if (this.#objects.get(writes.key) === writes) this.#objects.delete(writes.key);
  }

  pause(writes: ObjectWrites, pause: Pause): void {
    writes.pause = pause;
    this.#paused.add(writes);
  }

  resume(writes: ObjectWrites): void {
    writes.pause = undefined;
    this.#paused.delete(writes);
  }

  /** Writes that are paused because there is no such kind, or no such object. */
  missing(kind: Kind): ObjectWrites[] {
    return [...this.#paused].filter(
      ({ ref, pause }) => ref.kind === kind && pause?.code === 'NOT_FOUND',
    );
  }

  /** Writes that are paused because of this actor's writes. */
  pausedBy(actor: Actor): ObjectWrites[] {
    return [...this.#paused].filter((writes) => writes.pause?.work.actor === actor);
  }

  /** All that are paused, for overviews. */
  *blocked(): Iterable<BlockedWrite> {
    for (const { key, pause, failingSince } of this.#paused) {
      if (pause === undefined || failingSince === undefined) continue;
      const { code, until, work } = pause;
      yield { about: work.actor.key, object: key, code, since: failingSince, until };
    }
  }
}
