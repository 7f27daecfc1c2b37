// The composition of an activator without its request path: metrics, log, actors, data plane and
// health, each with its ports. Whoever serves requests gives it a probe, hands in what the cluster
// or a configuration says of revisions, and takes permits from the plane.
import type { Log } from '#src/log/log.ts';
import type { Check } from '#src/http/probes.ts';
import type { Metrics } from '#src/metrics/metrics.ts';
import { createTelemetry } from '#src/metrics/telemetry.ts';
import { actorsCheck } from './health.ts';
import { activatorMetrics } from './metrics.ts';
import type { Figures } from './proxy/figures.ts';
import { type Revisions, type RevisionsOptions, superviseRevisions } from './supervise.ts';

export interface ActivatorOptions extends Omit<RevisionsOptions, 'telemetry' | 'restoresCharts'> {
  readonly log: Pick<Log, 'line'>;
  /** False leaves out process_* and nodejs_*. */
  readonly withProcess: boolean;
  /** Of the request path (proxy/), which counts there; absent: there is none. */
  readonly figures?: Figures;
}

export interface Activator extends Revisions {
  readonly metrics: Pick<Metrics, 'render' | 'contentType'>;
  readonly ready: Check;
}

export function startActivator(options: ActivatorOptions): Activator {
  const { clock, log, withProcess, figures } = options;
  let revisions: Revisions | undefined;
  const metrics = activatorMetrics(() => revisions, {
    now: () => clock.steady(),
    withProcess,
    figures,
  });
  const telemetry = createTelemetry(metrics.numbers, log.line);
  revisions = superviseRevisions({ ...options, telemetry, restoresCharts: true });
  return { ...revisions, metrics, ready: actorsCheck(revisions.system, clock) };
}
