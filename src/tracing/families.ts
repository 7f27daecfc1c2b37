// The metric family of the spans that this process sends, read at each scrape; docs/metrics.md
// shows it. Served only where traces are wanted.
import { Counter, type PrometheusContentType, type Registry } from 'prom-client';
import type { Family } from '#src/metrics/families.ts';
import { type SpanNumbers, spanResults } from './span.ts';

export const spanCounter = {
  name: 'coppice_trace_spans_total',
  labels: ['result'],
  help: 'Spans for OpenTelemetry: exported, failed (no collector took them) or dropped (no room in the queue); only with traces on',
  why: {
    nearest: 'rest_client_requests_total',
    gap: 'a collector is no API server: nothing built in counts spans that were lost on the way to one',
  },
} as const satisfies Family & { readonly name: string };

/** The result is called at every scrape. */
export function spanFamilies(
  registry: Registry<PrometheusContentType>,
  numbers: () => SpanNumbers,
): () => void {
  const { name, help, labels } = spanCounter;
  const counter = new Counter({ name, help, labelNames: [...labels], registers: [registry] });
  return () => {
    counter.reset();
    const now = numbers();
    for (const result of spanResults) counter.inc({ result }, now[result]);
  };
}
