// Every metric family that Coppice exposes besides process_* and nodejs_*: name, type, labels,
// help. src/metrics/metrics.ts makes them, docs/metrics.md and docs/surface/metrics.txt are held
// equal to this table. Labels are bounded: never the name or namespace of an object, but for the
// families of agent-sandbox, which modules declare with `emptied` where that is not wanted.
import type { ActorGauge, OperatorMetrics } from '#machines/contract/module.ts';

export interface Family<L extends string = string> {
  readonly labels: readonly L[];
  readonly help: string;
}

/** Bounds of controller-runtime's reconcile histogram, so that its dashboards fit. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** Powers of ten from 10 ns, as client-go's work queues have them. */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** A reconcile is pure and short: fine below 10 ms. */
const fineBuckets = [
  0.000_025, 0.000_05, 0.000_1, 0.000_25, 0.000_5, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5,
];

/** Prometheus' own, as controller-runtime has them for webhooks. */
const webhookBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const byController = ['controller'] as const;
export const byQueue = ['name', 'controller'] as const;

export const counters = {
  controller_runtime_reconcile_total: {
    labels: ['controller', 'result'],
    help: 'Reconciles by controller and result',
  },
  controller_runtime_reconcile_errors_total: {
    labels: byController,
    help: 'Reconciles that failed',
  },
  workqueue_adds_total: {
    labels: byQueue,
    help: 'Actors that were touched and queued for a reconcile',
  },
  workqueue_retries_total: { labels: byQueue, help: 'Reconciles retried after an error' },
  rest_client_requests_total: {
    labels: ['code', 'method', 'host'],
    help: 'Requests to the API server by HTTP status, method and host',
  },
  coppice_chart_restores_total: {
    labels: byController,
    help: 'State machines restored from an impossible state; each is a bug in Coppice',
  },
  coppice_actor_restarts_total: { labels: byController, help: 'Actors restarted after a crash' },
  coppice_writes_total: {
    labels: ['kind', 'op', 'outcome'],
    help: 'Writes to the API server; outcome is ok or an error code (docs/errors.md)',
  },
  coppice_bus_dropped_total: {
    labels: [],
    help: 'Facts and copies not published because NATS was unavailable or slow',
  },
  coppice_bus_published_total: { labels: [], help: 'Facts and copies published' },
  coppice_bus_rejected_total: {
    labels: [],
    help: 'Incoming messages that were refused: forged, damaged or too large',
  },
  coppice_messages_dropped_total: {
    labels: ['reason'],
    help: 'Messages that woke no actor (docs/bus.md)',
  },
  controller_runtime_webhook_requests_total: {
    labels: ['webhook', 'code'],
    help: 'Admission reviews by webhook path and HTTP status; a refusal is a 200',
  },
  coppice_admission_refused_total: {
    labels: ['webhook'],
    help: 'Requests refused by a webhook, by its path',
  },
  coppice_lease_changes_total: { labels: [], help: 'Shards that this process took or lost' },
} as const;

export const gauges = {
  controller_runtime_active_workers: {
    labels: byController,
    help: 'Running reconciles, averaged over the time since the last scrape',
  },
  controller_runtime_max_concurrent_reconciles: {
    labels: byController,
    help: 'Reconciles that can run at once: one, in a single-threaded process',
  },
  workqueue_depth: { labels: byQueue, help: 'Actors waiting for a reconcile' },
  workqueue_unfinished_work_seconds: {
    labels: byQueue,
    help: 'Seconds of work in progress: 0 between reconciles, which a scrape never interrupts',
  },
  workqueue_longest_running_processor_seconds: {
    labels: byQueue,
    help: 'Age of the longest running reconcile: 0, as above',
  },
  coppice_actors: { labels: byController, help: 'Actors alive' },
  coppice_actors_parked: {
    labels: byController,
    help: 'Actors that failed too often and wait for a new spec or a command',
  },
  coppice_mailbox_depth: { labels: byController, help: 'Mail waiting for actors of a controller' },
  coppice_bus_connected: { labels: [], help: '1 while NATS is connected, else 0' },
  coppice_bus_round_trip_seconds: {
    labels: [],
    help: 'Last measured round trip to the NATS server; absent while unknown',
  },
  coppice_cache_age_seconds: {
    labels: ['kind'],
    help: 'Seconds since the watch of a kind last showed activity',
  },
  coppice_leases_held: { labels: [], help: 'Shards that this process owns; absent without leases' },
  coppice_lease_sure: {
    labels: [],
    help: '1 while this process may write for its shards, else 0; absent without leases',
  },
  coppice_lease_renewal_age_seconds: {
    labels: [],
    help: 'Seconds since the last successful renewal was sent; absent without leases',
  },
} as const;

export const histograms = {
  controller_runtime_reconcile_time_seconds: {
    labels: byController,
    help: 'Length of a reconcile, in the buckets of controller-runtime',
    buckets: reconcileBuckets,
  },
  workqueue_queue_duration_seconds: {
    labels: byQueue,
    help: 'Time from the touch of an actor to its reconcile',
    buckets: queueBuckets,
  },
  workqueue_work_duration_seconds: {
    labels: byQueue,
    help: 'Length of a reconcile, in the buckets of client-go',
    buckets: queueBuckets,
  },
  controller_runtime_webhook_latency_seconds: {
    labels: ['webhook'],
    help: 'Time from an admission review to its answer',
    buckets: webhookBuckets,
  },
  coppice_reconcile_seconds: {
    labels: byController,
    help: 'Length of a reconcile, in fine buckets',
    buckets: fineBuckets,
  },
} as const;

/** Of a system that a module replaces, under its names. */
export const operatorFamilies = ({ statusConflicts, reconcileErrors }: OperatorMetrics) =>
  ({
    statusConflicts: {
      name: statusConflicts,
      labels: ['controller', 'target_kind'],
      help: 'Status writes that the API server refused because the object had changed meanwhile',
    },
    reconcileErrors: {
      name: reconcileErrors,
      labels: ['controller', 'error_type'],
      help: 'Errors met while reconciling, by type (docs/metrics.md)',
    },
  }) as const;

/** A count of actors that a module declares. */
export const actorFamily = ({ name, help, field, ...gauge }: ActorGauge) => ({
  name,
  labels: 'labels' in gauge ? gauge.labels : [field],
  help,
});
