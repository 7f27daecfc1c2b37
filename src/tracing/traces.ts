// The traces that the tracer knows: which id each has as OpenTelemetry writes it, and whether it is
// recorded, which is decided once. A trace of facts may go on for as long as an object lives; one
// that rested for long, or became old, goes on in a new trace of OpenTelemetry that links to it.
import type { EpochMs } from '#machines/kubernetes/time.ts';
import { traceIdOf } from '#bus/trace-ids.ts';
import type { RemoteParent, SpanId, SpanTarget } from './span.ts';

export interface Trace {
  readonly traceId: string;
  readonly isSampled: boolean;
  /** Of the client that began it. */
  readonly remote: RemoteParent | undefined;
  /** The first span of the trace that this one carries on. */
  readonly before: SpanId | undefined;
  /** Its first span; undefined: there is none yet. */
  first: SpanId | undefined;
  readonly openedAt: EpochMs;
  usedAt: EpochMs;
  /** Since it was last looked at to be forgotten. */
  isUsed: boolean;
}

interface TraceLimits {
  readonly traces: number;
  /** After so long without anything. */
  readonly restMs: number;
  readonly ageMs: number;
}

const defaultLimits: TraceLimits = { traces: 10_000, restMs: 600_000, ageMs: 3_600_000 };

export class Traces {
  readonly #isSampled: SpanTarget['isSampled'];
  readonly #limits: TraceLimits;
  readonly #traces = new Map<string, Trace>();

  constructor(isSampled: SpanTarget['isSampled'], limits: Partial<TraceLimits> = {}) {
    this.#isSampled = isSampled;
    this.#limits = { ...defaultLimits, ...limits };
  }

  get size(): number {
    return this.#traces.size;
  }

  /** The trace of facts with this id. `name`: of the span that would begin it; `header`: of a
   *  client that has begun it. Both count only where the trace is new. */
  of(id: string, at: EpochMs, name: string, header?: string): Trace {
    const known = this.#traces.get(id);
    if (known !== undefined && !this.#isOver(known, at)) {
      known.usedAt = at;
      known.isUsed = true;
      return known;
    }
    const trace = this.#open(id, at, name, { known, header });
    this.#traces.delete(id);
    this.#traces.set(id, trace);
    this.#forget();
    return trace;
  }

  #isOver({ usedAt, openedAt }: Trace, at: EpochMs): boolean {
    const { restMs, ageMs } = this.#limits;
    return at - usedAt > restMs || at - openedAt > ageMs;
  }

  #open(
    id: string,
    at: EpochMs,
    name: string,
    { known, header }: { readonly known: Trace | undefined; readonly header: string | undefined },
  ): Trace {
    const remote = header === undefined ? undefined : remoteOf(header);
    const own = known === undefined ? id : `${id} ${at}`;
    const traceId = remote?.traceId ?? traceIdOf(own);
    return {
      traceId,
      isSampled: this.#isSampled(traceId, name, remote),
      remote,
      before: known?.first,
      first: undefined,
      openedAt: at,
      usedAt: at,
      isUsed: false,
    };
  }

  /** The oldest that nothing was heard of since it was last looked at. */
  #forget(): void {
    for (const [id, trace] of this.#traces) {
      if (this.#traces.size <= this.#limits.traces) return;
      this.#traces.delete(id);
      if (!trace.isUsed) continue;
      trace.isUsed = false;
      this.#traces.set(id, trace);
    }
  }
}

function remoteOf(header: string): RemoteParent {
  const [, traceId = '', spanId = '', flags = ''] = header.split('-');
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
