// The metrics of one process: takes the numbers of the Telemetry port and of every API request and
// renders them in Prometheus' text format. Made once by main.ts; src/http serves the text.
import { collectDefaultMetrics, type PrometheusContentType, Registry } from 'prom-client';
import type { BusState, Telemetry } from '#actors/ports.ts';
import type { ActorGauge, MeasuredFamily, OperatorMetrics } from '#machines/contract/module.ts';
import type { AnswerEvent } from '#src/admission/server.ts';
import type { Kind } from '#machines/kinds.ts';
import { actorGauges, type ViewsOf } from './actor-gauges.ts';
import { type Count, countMeasured } from './measured.ts';
import { countOperators, type OperatorNumbers } from './operators.ts';
import { createFamilies, type Families } from './registered.ts';

export interface MetricsOptions {
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
  /** Asked at every scrape. Undefined while there is no bus. */
  readonly bus: () => BusState | undefined;
  /** Asked at every scrape: seconds since the watch of a kind gave a sign of life. */
  readonly cacheAges: () => Iterable<readonly [Kind, number]>;
  /** Asked at every scrape: the controller and the waiting mail of every actor. */
  readonly waiting: () => Iterable<readonly [string, number]>;
  /** Asked at every scrape: messages that were not delivered so far, by reason. */
  readonly undelivered?: () => Readonly<Record<string, number>>;
  /** Asked at every scrape. Undefined, or absent, where the process runs without leases. */
  readonly leases?: () => LeaseNumbers | undefined;
  /** Families of a part of the process that counts for itself: makes them, and gives what fills
   *  them in, which is called at every scrape. */
  readonly sampled?: (registry: Registry<PrometheusContentType>) => () => void;
  /** False leaves out process_* and nodejs_*, which belong to the process, not to this object. */
  readonly withProcess: boolean;
}

/** What the keeper of the leases says of itself. */
export interface LeaseNumbers {
  readonly held: number;
  readonly changes: number;
  readonly isSure: boolean;
  readonly sinceRenewalMs: number | undefined;
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
  if (options.withProcess) collectDefaultMetrics({ register: registry });
  const families = createFamilies(registry, options.controllers);
  const busy = new Map(options.controllers.map((controller) => [controller, 0]));
  const added = additions();
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
      sampleBus(families, added, options.bus());
      sampleLeases(families, added, options.leases?.());
      for (const [reason, count] of Object.entries(options.undelivered?.() ?? {})) {
        families.coppice_messages_dropped_total.inc({ reason }, added(`dropped: ${reason}`, count));
      }
      sampleWorkers();
      sampleActors();
      sampleOthers?.();
      sampleWaiting(families, options);
      families.coppice_cache_age_seconds.reset();
      for (const [kind, seconds] of options.cacheAges()) {
        families.coppice_cache_age_seconds.set({ kind }, seconds);
      }
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
      families.coppice_reconcile_seconds.observe({ controller }, seconds);
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

type Added = (total: string, now: number) => number;

/** Others keep totals; a counter takes what came since the last scrape. */
function additions(): Added {
  const last = new Map<string, number>();
  return (total, now) => {
    const added = Math.max(0, now - (last.get(total) ?? 0));
    last.set(total, now);
    return added;
  };
}

function sampleBus(families: Families, added: Added, state: BusState | undefined): void {
  families.coppice_bus_connected.set(state?.connected === true ? 1 : 0);
  const roundTrip = families.coppice_bus_round_trip_seconds;
  if (typeof state?.roundTripMs === 'number') roundTrip.set(state.roundTripMs / 1000);
  else roundTrip.remove();
  if (state === undefined) return;
  for (const total of ['dropped', 'published', 'rejected'] as const) {
    families[`coppice_bus_${total}_total`].inc(added(total, state[total]));
  }
}

/** Without leases there are no series, so that nobody takes 0 held shards for a fault. */
function sampleLeases(families: Families, added: Added, state: LeaseNumbers | undefined): void {
  const held = families.coppice_leases_held;
  const sure = families.coppice_lease_sure;
  const age = families.coppice_lease_renewal_age_seconds;
  for (const family of [held, sure, age]) family.remove();
  if (state === undefined) return;
  held.set(state.held);
  sure.set(state.isSure ? 1 : 0);
  if (state.sinceRenewalMs !== undefined) age.set(state.sinceRenewalMs / 1000);
  families.coppice_lease_changes_total.inc(added('lease changes', state.changes));
}

/** Between ticks nearly always 0; what stays is a backlog. */
function sampleWaiting(families: Families, { controllers, waiting }: MetricsOptions): void {
  const actors = new Map(controllers.map((controller) => [controller, 0]));
  const mail = new Map(actors);
  for (const [controller, count] of waiting()) {
    if (count > 0) actors.set(controller, (actors.get(controller) ?? 0) + 1);
    mail.set(controller, (mail.get(controller) ?? 0) + count);
  }
  for (const [controller, count] of actors) {
    families.workqueue_depth.set({ name: controller, controller }, count);
    families.coppice_mailbox_depth.set({ controller }, mail.get(controller) ?? 0);
  }
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
