// The metrics of one process: takes the numbers of the Telemetry port and of every API request and
// renders them in Prometheus' text format. Made once by main.ts; src/http serves the text.
import { type PrometheusContentType, Registry } from 'prom-client';
import type { Telemetry } from '#actors/ports.ts';
import type { ActorGauge, MeasuredFamily, OperatorMetrics } from '#machines/contract/module.ts';
import type { AnswerEvent } from '#src/admission/server.ts';
import { actorGauges, type ViewsOf } from './actor-gauges.ts';
import { type Count, countMeasured } from './measured.ts';
import { countOperators, type OperatorNumbers } from './operators.ts';
import { collectProcess } from './process.ts';
import { createFamilies, type Families } from './registered.ts';
import { type Asked, askedSampler } from './sampled.ts';

export interface MetricsOptions extends Asked {
  /** Names of the controllers (Behaviour.controller); their series are there from the start. */
  readonly controllers: readonly string[];
  /** Systems whose families are served too. */
  readonly operators: readonly OperatorMetrics[];
  /** Counts of actors that are served too. */
  readonly gauges?: readonly ActorGauge[];
  /** What behaviours count by intents. */
  readonly measured?: readonly MeasuredFamily[];
  /** Asked at every scrape, for each of those: what the actors of a kind show. */
  readonly views?: ViewsOf;
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number;
  /** Families of a part of the process that counts for itself: makes them, and gives what fills
   *  them in, which is called at every scrape. */
  readonly sampled?: (registry: Registry<PrometheusContentType>) => () => void;
  /** False leaves out process_* and nodejs_*, which belong to the process, not to this object. */
  readonly withProcess: boolean;
}

export interface Metrics {
  /** The numbers of the Telemetry port; src/metrics/telemetry.ts adds the log lines. */
  readonly numbers: Omit<Telemetry, 'log' | 'measured'> & { readonly measured: Count };
  readonly request: (request: Readonly<Record<'code' | 'method' | 'host', string>>) => void;
  /** An admission review was answered. */
  readonly answered: (answer: AnswerEvent) => void;
  readonly render: () => Promise<string>;
  readonly contentType: PrometheusContentType;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry<PrometheusContentType>();
  if (options.withProcess) collectProcess(registry);
  const families = createFamilies(registry, options.controllers);
  const busy = new Map(options.controllers.map((controller) => [controller, 0]));
  const sampleAsked = askedSampler(families, options);
  const sampleWorkers = workerSampler(families, busy, options.now);
  const sampleActors = actorGauges(registry, options.gauges ?? [], options.views ?? (() => []));
  const sampleOthers = options.sampled?.(registry);
  return {
    numbers: {
      ...createNumbers(families, busy, countOperators(registry, options.operators)),
      measured: countMeasured(registry, options.measured ?? []),
    },
    request: ({ code, method, host }) =>
      families.rest_client_requests_total.inc({ code, method, host }),
    answered: ({ path: webhook, status, allowed, seconds }) => {
      families.controller_runtime_webhook_requests_total.inc({ webhook, code: String(status) });
      families.controller_runtime_webhook_latency_seconds.observe({ webhook }, seconds);
      if (!allowed) families.coppice_admission_refused_total.inc({ webhook });
    },
    render: () => {
      sampleAsked();
      sampleWorkers();
      sampleActors();
      sampleOthers?.();
      return registry.metrics();
    },
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
  };
}

/** The events of the port as increments. */
function createNumbers(
  families: Families,
  busy: Map<string, number>,
  operators: OperatorNumbers,
): Omit<Metrics['numbers'], 'measured'> {
  return {
    ...operators,
    reconciled: ({ controller, seconds, result }) => {
      const queue = { name: controller, controller };
      busy.set(controller, (busy.get(controller) ?? 0) + seconds);
      families.controller_runtime_reconcile_total.inc({ controller, result });
      families.controller_runtime_reconcile_time_seconds.observe({ controller }, seconds);
      families.workqueue_work_duration_seconds.observe(queue, seconds);
      if (result !== 'error') return;
      families.controller_runtime_reconcile_errors_total.inc({ controller });
      families.workqueue_retries_total.inc(queue);
    },
    // Told when an actor's turn comes: it was added once, whatever mail it got meanwhile.
    queued: ({ controller, waitedSeconds }) => {
      const queue = { name: controller, controller };
      families.workqueue_adds_total.inc(queue);
      if (waitedSeconds === undefined) return;
      families.workqueue_queue_duration_seconds.observe(queue, waitedSeconds);
    },
    wrote: ({ kind, op, outcome }) => families.coppice_writes_total.inc({ kind, op, outcome }),
    restarted: ({ controller }) => families.coppice_actor_restarts_total.inc({ controller }),
    parked: () => undefined,
    unparked: () => undefined,
    chartRestored: ({ controller }) => families.coppice_chart_restores_total.inc({ controller }),
    actors: ({ controller, alive, parked }) => {
      families.coppice_actors.set({ controller }, alive);
      families.coppice_actors_parked.set({ controller }, parked);
    },
  };
}

/** Reconciles are synchronous, so a scrape would always see none: the share of time instead. */
function workerSampler(
  families: Families,
  busy: Map<string, number>,
  now: () => number,
): () => void {
  let last = now();
  return () => {
    const elapsedSeconds = (now() - last) / 1000;
    last = now();
    for (const [controller, seconds] of busy) {
      const share = elapsedSeconds > 0 ? Math.min(1, seconds / elapsedSeconds) : 0;
      families.controller_runtime_active_workers.set({ controller }, share);
      busy.set(controller, 0);
    }
  };
}
