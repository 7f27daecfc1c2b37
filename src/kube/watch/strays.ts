// Objects that our watches lost sight of though they may live: somebody took off the label that
// watches of their kind select by, and then the server says DELETED. The event shows the object as
// it was before, so only a read tells this from its end. client.ts asks here, one per reflection.
import type { ClusterPort, Clock, Observation, WriteOutcome } from '#actors/ports.ts';
import { refKey } from '#machines/contract/address.ts';
import type { ObjectRef } from '#machines/contract/address.ts';
import { mayBeMissing } from '#machines/kinds.ts';
import { strayPauseMs } from '../limits.ts';
import { isSelected } from '../paths.ts';

interface Options {
  readonly clock: Clock;
  readonly read: ClusterPort['read'];
  readonly emit: (observation: Observation) => void;
}

interface Stray {
  readonly ref: ObjectRef;
  readonly uid: string;
  /** Reads since it was lost sight of. */
  reads: number;
  isReading: boolean;
  /** Lost sight of again while a read was under way, whose answer may be from before. */
  isAgain: boolean;
  cancel: () => void;
}

/**
 * Each is read until it is gone or selected again, ever less often: nothing else would tell of its
 * end. Until a read says that it is gone, it counts as alive.
 */
export class Strays {
  readonly #options: Options;
  /** By name and UID. */
  readonly #strays = new Map<string, Stray>();
  #isPaused = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** It may be gone: it is read at once. */
  doubt(ref: ObjectRef, uid: string): void {
    const stray = this.#open(ref, uid);
    stray.reads = 0;
    if (stray.isReading) stray.isAgain = true;
    else void this.#read(stray);
  }

  /** It is there, as a reply has shown, but no watch will tell of it. */
  follow(ref: ObjectRef, uid: string): void {
    if (this.#strays.has(keyOf(ref, uid))) return;
    this.#wait(this.#open(ref, uid));
  }

  pause(): void {
    this.#isPaused = true;
    for (const { cancel } of this.#strays.values()) cancel();
  }

  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    for (const { ref, uid } of this.#strays.values()) this.doubt(ref, uid);
  }

  #open(ref: ObjectRef, uid: string): Stray {
    const key = keyOf(ref, uid);
    const known = this.#strays.get(key);
    known?.cancel();
    const stray = known ?? { ...fresh, ref, uid };
    this.#strays.set(key, stray);
    return stray;
  }

  async #read(stray: Stray): Promise<void> {
    if (this.#isPaused) return;
    stray.isReading = true;
    stray.isAgain = false;
    stray.reads++;
    const outcome = await this.#options.read(stray.ref);
    stray.isReading = false;
    if (this.#isPaused) return;
    if (stray.isAgain) return void this.#read(stray);
    if (this.#isOver(stray, outcome)) this.#strays.delete(keyOf(stray.ref, stray.uid));
    else this.#wait(stray);
  }

  /** Tells what the read shows; true where nothing is left to be watched over. */
  #isOver({ ref, uid }: Stray, outcome: WriteOutcome): boolean {
    const { emit } = this.#options;
    if (!outcome.ok) {
      if (outcome.code !== 'NOT_FOUND') return false;
      emit({ type: 'gone', ref, uid, ...(mayBeMissing(ref.kind) ? { isSure: false } : {}) });
      return true;
    }
    const { object } = outcome;
    if (object === undefined) return false;
    if (object.metadata.uid !== uid) {
      emit({ type: 'gone', ref, uid });
      return true;
    }
    emit({ type: 'seen', kind: ref.kind, object });
    return isSelected(ref.kind, object);
  }

  #wait(stray: Stray): void {
    if (this.#isPaused) return;
    const { clock } = this.#options;
    const { first, most } = strayPauseMs;
    const pauseMs = Math.min(most, first * 2 ** Math.min(stray.reads, 16));
    stray.cancel = clock.at(clock.now() + pauseMs, () => void this.#read(stray));
  }
}

const fresh = { reads: 0, isReading: false, isAgain: false, cancel: (): void => {} };

const keyOf = (ref: ObjectRef, uid: string): string => `${refKey(ref)} ${uid}`;
