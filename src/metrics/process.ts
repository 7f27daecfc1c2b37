// The families of the process, process_* and nodejs_*, as the client library makes them, without
// those whose names Prometheus' own linter refuses. Called by src/metrics/metrics.ts.
import { collectDefaultMetrics, type PrometheusContentType, type Registry } from 'prom-client';

/** Left out, with what to ask instead (PromQL, by instance). `promtool check metrics` refuses a
 *  gauge that is called a total, and a name that ends in its type. */
export const leftOut = {
  nodejs_active_handles_total: 'sum by (instance) (nodejs_active_handles)',
  nodejs_active_requests_total: 'sum by (instance) (nodejs_active_requests)',
  nodejs_active_resources_total: 'sum by (instance) (nodejs_active_resources)',
  nodejs_eventloop_utilization_histogram: 'rate(process_cpu_seconds_total[5m])',
  nodejs_eventloop_utilization_summary: 'rate(process_cpu_seconds_total[5m])',
} as const;

export function collectProcess(registry: Registry<PrometheusContentType>): void {
  collectDefaultMetrics({ register: registry });
  for (const name of Object.keys(leftOut)) registry.removeSingleMetric(name);
}
