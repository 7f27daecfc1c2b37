// A finished span as plain data, and who takes it: what src/tracing/tracer.ts builds from facts,
// and src/tracing/otel/ hands to the SDK of OpenTelemetry. Knows nothing of that SDK, which is not
// loaded where nobody traces.
import type { EpochMs } from '#machines/kubernetes/time.ts';

/** 32 and 16 hexadecimal digits. */
export interface SpanId {
  readonly traceId: string;
  readonly spanId: string;
}

export type Attributes = Readonly<Record<string, string | number | string[]>>;

export interface SpanEvent {
  readonly name: string;
  readonly at: EpochMs;
  readonly attributes: Attributes;
}

export interface FinishedSpan extends SpanId {
  readonly name: string;
  /** `client`: a request to the API server. */
  readonly kind: 'internal' | 'client';
  /** Undefined: it begins a trace. */
  readonly parent: SpanId | undefined;
  /** The parent is a client's. */
  readonly isRemote?: boolean;
  /** Milliseconds since 1970, with fractions. */
  readonly start: EpochMs;
  readonly end: EpochMs;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  /** Events that there was no room for. */
  readonly dropped: number;
  /** What led to it too, or before it, in other traces. */
  readonly links: readonly SpanId[];
  /** Undefined: it did not fail. */
  readonly error: string | undefined;
}

/** The header `traceparent` of a client. */
export interface RemoteParent extends SpanId {
  readonly isSampled: boolean;
}

export const spanResults = ['exported', 'failed', 'dropped'] as const;
/** Spans so far, by what became of them. */
export type SpanNumbers = Readonly<Record<(typeof spanResults)[number], number>>;

export interface SpanTarget {
  /** Whether a trace that begins with a span of this name is recorded. Asked once per trace. */
  isSampled(traceId: string, name: string, parent: RemoteParent | undefined): boolean;
  /** Never waits, and never throws. */
  take(span: FinishedSpan): void;
}
