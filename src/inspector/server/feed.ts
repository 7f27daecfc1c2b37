// What changes in this process, in batches: rows that are new, changed or gone, and facts. It
// listens only while somebody looks, so a process without viewers pays nothing; and all who look
// share one batch. Read by streams.ts.
import { actorId, type ActorKey } from '#machines/contract/address.ts';
import type { Recorded } from '#actors/history/history.ts';
import type { Clock } from '#actors/ports.ts';
import {
  batchMs,
  crowdedBatchMs,
  factsMissed,
  factsPerBatch,
  longestBatchMs,
  sentBytesPerSecond,
  sentToEachMs,
} from './limits.ts';
import type { Source } from './source.ts';

export interface Batch {
  /** Of the newest fact by then. */
  readonly sequence: number;
  /** Actors whose rows may have changed, by id. */
  readonly changed: ReadonlyMap<string, ActorKey>;
  /** Oldest first. */
  readonly facts: readonly Recorded[];
  /** That are not among them. */
  readonly skipped: number;
}

/** To all viewers, so far. */
export interface Sent {
  readonly writes: number;
  readonly bytes: number;
}

type Listener = (batch: Batch) => Sent;

export class Feed {
  readonly #source: Source;
  readonly #clock: Clock;
  #changed = new Map<string, ActorKey>();
  #facts: Recorded[] = [];
  #skipped = 0;
  /** From a change to the next batch. */
  #patienceMs = batchMs;
  /** Of the batch before, and when it was handed on, on the steady clock. */
  #sent: Sent = { writes: 0, bytes: 0 };
  #sentAt = 0;
  #cancel: (() => void) | undefined;

  constructor(source: Source, clock: Clock) {
    this.#source = source;
    this.#clock = clock;
  }

  /** Hands on each batch from now on; the result ends it. One at a time. */
  follow(listener: Listener): () => void {
    const { history } = this.#source;
    const plan = (): void => this.#plan(this.#patienceMs, listener);
    const releases = [
      this.#source.onRow((key) => {
        this.#changed.set(actorId(key), key);
        plan();
      }),
      history.subscribe((fact) => {
        if (this.#facts.length < factsPerBatch) this.#facts.push(fact);
        else this.#skipped++;
        plan();
      }),
    ];
    return () => {
      for (const release of releases) release();
      this.#cancel?.();
      this.#cancel = undefined;
      this.#take();
    };
  }

  /** What came behind a place; a text says why that is not known any more. */
  since(sequence: number): Batch | string {
    const { newest, oldest } = this.#source.history;
    if (sequence > newest) return 'this process has not come so far: it is another one';
    const missed = newest - sequence;
    if (missed > factsMissed || sequence + 1 < oldest) {
      return `${missed} facts have come since`;
    }
    const facts = this.#source.history.after(sequence, factsMissed);
    const changed = changedSince(this.#source, sequence, facts);
    const shown = facts.slice(-factsPerBatch);
    return { sequence: newest, changed, facts: shown, skipped: facts.length - shown.length };
  }

  #plan(ms: number, listener: Listener): void {
    this.#cancel ??= this.#clock.at(this.#clock.now() + ms, () => {
      this.#cancel = undefined;
      const owedMs = this.#owedMs();
      if (owedMs > 0) return this.#plan(owedMs, listener);
      this.#sentAt = this.#clock.steady();
      this.#sent = listener(this.#take());
    });
  }

  /** Until what was sent last has had its time. */
  #owedMs(): number {
    const { writes, bytes } = this.#sent;
    const worthMs = writes * sentToEachMs + (bytes / sentBytesPerSecond) * 1000;
    const sinceMs = this.#clock.steady() - this.#sentAt;
    return Math.ceil(Math.min(longestBatchMs, worthMs) - sinceMs);
  }

  #take(): Batch {
    const sequence = this.#source.history.newest;
    const batch = {
      sequence,
      changed: this.#changed,
      facts: this.#facts,
      skipped: this.#skipped,
    };
    this.#patienceMs = this.#facts.length < factsPerBatch ? batchMs : crowdedBatchMs;
    this.#changed = new Map();
    this.#facts = [];
    this.#skipped = 0;
    return batch;
  }
}

/** Actors whose rows have changed behind a place, which are more than those of the facts behind it:
 *  no fact tells of a birth. Only facts tell of who has ended. */
export function changedSince(
  source: Source,
  sequence: number,
  facts: readonly Recorded[],
): Map<string, ActorKey> {
  const changed = new Map(facts.map(({ about }) => [actorId(about), about]));
  for (const key of source.changedSince(sequence)) changed.set(actorId(key), key);
  return changed;
}
