// How much may be in flight, overall and per kind. A 429 stops its kind for as long as the server
// asks (longer each time) and halves what it may have in flight; each success gives a little back.
import type { Kind } from '#machines/kinds.ts';
import type { Limits } from '../limits.ts';
import { entryOf } from '../maps.ts';
import type { Clock, Random } from '../ports.ts';
import type { Deadlines } from '../run/deadlines.ts';
import { pauseMs } from '../supervision/strategy.ts';

interface Flow {
  inFlight: number;
  limit: number;
  isPaused: boolean;
  /** When the pause ends, where there is one, on the steady clock. */
  resumesAt: number;
  /** 429s in a row. */
  refusals: number;
}

interface Parts {
  readonly clock: Clock;
  readonly limits: Limits;
  readonly deadlines: Deadlines;
  readonly random: Random;
  /** A kind that was paused may send again. */
  readonly resumed: () => void;
}

export class ConcurrencyLimiter {
  readonly #parts: Parts;
  readonly #flows = new Map<Kind, Flow>();
  inFlight = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  readonly maySend = (kind: Kind): boolean => {
    if (this.inFlight >= this.#parts.limits.writesInFlight) return false;
    const flow = this.#flow(kind);
    return !flow.isPaused && flow.inFlight < Math.floor(flow.limit);
  };

  sent(kind: Kind): void {
    this.inFlight++;
    this.#flow(kind).inFlight++;
  }

  landed(kind: Kind, isOk: boolean): void {
    const flow = this.#flow(kind);
    this.inFlight--;
    flow.inFlight--;
    if (!isOk) return;
    flow.refusals = 0;
    flow.limit = Math.min(this.#parts.limits.writesInFlightPerKind, flow.limit + 1 / flow.limit);
  }

  /** The server asked this kind to slow down; answers that were on their way count once, but may
   *  ask for more time. */
  throttle(kind: Kind, afterMs: number): void {
    const flow = this.#flow(kind);
    if (flow.isPaused) {
      if (this.#parts.clock.steady() + afterMs > flow.resumesAt)
        this.#resumeAfter(kind, flow, afterMs);
      return;
    }
    flow.refusals++;
    flow.isPaused = true;
    flow.limit = Math.max(1, flow.limit / 2);
    const { retryMinMs: minMs, retryMaxMs: maxMs } = this.#parts.limits;
    const pause = pauseMs({ minMs, maxMs, jitter: 0.5 }, flow.refusals, this.#parts.random);
    this.#resumeAfter(kind, flow, Math.max(pause, afterMs));
  }

  #resumeAfter(kind: Kind, flow: Flow, ms: number): void {
    flow.resumesAt = this.#parts.clock.steady() + ms;
    this.#parts.deadlines.after(`flow ${kind}`, ms, () => {
      flow.isPaused = false;
      this.#parts.resumed();
    });
  }

  #flow(kind: Kind): Flow {
    const limit = this.#parts.limits.writesInFlightPerKind;
    const fresh = (): Flow => ({ inFlight: 0, limit, isPaused: false, resumesAt: 0, refusals: 0 });
    return entryOf(this.#flows, kind, fresh);
  }
}
