// A finished span as the SDK of OpenTelemetry has it. The SDK's own Tracer makes spans while things
// happen, in a context that follows calls; ours are built from facts, when everything is over
// (docs/decisions/0048). Used by export.ts.
import {
  type Attributes as OtelAttributes,
  type HrTime,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
} from '@opentelemetry/api';
import type { InstrumentationScope } from '@opentelemetry/core';
import type { Resource } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace';
import type { FinishedSpan, SpanId } from '../span.ts';

export interface Origin {
  readonly resource: Resource;
  readonly instrumentationScope: InstrumentationScope;
}

export function readable(span: FinishedSpan, origin: Origin): ReadableSpan {
  const { traceId, spanId, parent, kind, start, end, attributes, events, links, error } = span;
  const context = contextOf({ traceId, spanId });
  const isRemote = span.isRemote === true;
  return {
    ...origin,
    name: span.name,
    kind: kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL,
    spanContext: () => context,
    ...(parent && { parentSpanContext: { ...contextOf(parent), isRemote } }),
    startTime: timeOf(start),
    endTime: timeOf(end),
    duration: timeOf(Math.max(0, end - start)),
    status:
      error === undefined
        ? { code: SpanStatusCode.UNSET }
        : { code: SpanStatusCode.ERROR, message: error },
    attributes: copied(attributes),
    links: links.map((link) => ({ context: contextOf(link) })),
    events: events.map((event) => ({
      name: event.name,
      time: timeOf(event.at),
      attributes: copied(event.attributes),
      droppedAttributesCount: 0,
    })),
    ended: true,
    droppedAttributesCount: 0,
    droppedEventsCount: span.dropped,
    droppedLinksCount: 0,
  };
}

const copied = (attributes: FinishedSpan['attributes']): OtelAttributes => ({ ...attributes });

/** Nobody builds spans of a trace that is not sampled. */
export const contextOf = ({ traceId, spanId }: SpanId): SpanContext => ({
  traceId,
  spanId,
  traceFlags: TraceFlags.SAMPLED,
});

/** Seconds and nanoseconds. */
function timeOf(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
