// Restrains the creation of an object that goes as soon as it is there: somebody deletes it each
// time, or its owner is gone and we have not heard yet. The first repeat is free, since one loss is
// everyday life; then pauses double. What takes the place of another under a new name counts as the
// same, and waits for the answer to a create of the other: that may be a repeat, and make the other
// once more. Used by the effect runner.
import { refKey, type ObjectRef } from '#machines/contract/address.ts';
import type { CreateObject } from '#machines/contract/intents.ts';
import { controllerOf } from '#machines/kubernetes/objects.ts';
import type { Limits } from '../limits.ts';
import type { Clock, Random } from '../ports.ts';
import type { Deadlines } from '../run/deadlines.ts';
import { pauseMs } from '../supervision/strategy.ts';
import type { WriteIntent } from './work.ts';

interface Parts {
  readonly clock: Clock;
  readonly random: Random;
  readonly deadlines: Deadlines;
  readonly limits: Limits;
  /** The object may be created again: whoever wanted that is to try. */
  readonly release: (ref: ObjectRef) => void;
}

interface History {
  readonly creates: number;
  /** Objects that were to be created meanwhile, by key: one place, but not always one name.
   *  Undefined: it is not held. */
  readonly waiting: Map<string, ObjectRef> | undefined;
}

export class CreateBackoff {
  readonly #parts: Parts;
  /** By place and owner: under another owner the same name is another matter. */
  #recent = new Map<string, History>();
  /** What was not created since the last turn; forgotten at the next. */
  #older: ReadonlyMap<string, History> = new Map();
  #turnedAt: number;
  /** Creates in flight, by place and owner, with what was to be created there meanwhile, by key. */
  readonly #flying = new Map<string, Map<string, ObjectRef>>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#turnedAt = parts.clock.steady();
  }

  /** True while this must not be sent; `release` follows. */
  holds(intent: WriteIntent): boolean {
    if (intent.type !== 'createObject') return false;
    const key = keyOf(intent);
    const history = this.#find(key);
    const waiting = this.#flying.get(key) ?? history?.waiting;
    waiting?.set(refKey(intent.ref), intent.ref);
    return waiting !== undefined;
  }

  sent(intent: WriteIntent): void {
    if (intent.type === 'createObject') this.#flying.set(keyOf(intent), new Map());
  }

  /** There is an answer, whatever it says. */
  landed(intent: WriteIntent): void {
    if (intent.type !== 'createObject') return;
    const key = keyOf(intent);
    const waiting = this.#flying.get(key);
    this.#flying.delete(key);
    for (const ref of waiting?.values() ?? []) this.#parts.release(ref);
  }

  created(intent: CreateObject): void {
    this.#turn();
    const { deadlines, limits, random, release } = this.#parts;
    const key = keyOf(intent);
    const creates = (this.#find(key)?.creates ?? 0) + 1;
    const waiting = creates > 1 ? new Map<string, ObjectRef>() : undefined;
    this.#recent.set(key, { creates, waiting });
    if (waiting === undefined) return;
    const backoff = { minMs: limits.retryMinMs, maxMs: limits.recreateMaxMs, jitter: 0 };
    const pause = pauseMs(backoff, creates - 1, random) * (1 + spread * random.next());
    deadlines.after(`create ${key}`, Math.round(pause), () => {
      this.#recent.set(key, { creates, waiting: undefined });
      for (const ref of waiting.values()) release(ref);
    });
  }

  #find(key: string): History | undefined {
    return this.#recent.get(key) ?? this.#older.get(key);
  }

  /** For twice the longest pause nothing is forgotten; after four times all is. */
  #turn(): void {
    const now = this.#parts.clock.steady();
    const keptMs = 2 * this.#parts.limits.recreateMaxMs;
    const passed = now - this.#turnedAt;
    if (passed < keptMs) return;
    this.#turnedAt = now;
    this.#older = passed < 2 * keptMs ? this.#recent : new Map();
    this.#recent = new Map();
  }
}

/** Share of a pause that chance may add. */
const spread = 0.2;

const keyOf = ({ ref, body, place }: CreateObject): string =>
  `${place === undefined ? refKey(ref) : `${ref.kind} ${ref.namespace} ${place}`} ${controllerOf(body)?.uid ?? ''}`;
