// The metric families of controller-runtime and client-go, under their names, with their labels and
// buckets: what dashboards and alerts for Kubernetes controllers know already. families.ts adds
// those of our own.
import type { Reason } from '#machines/contract/module.ts';

export interface Family<L extends string = string> {
  readonly labels: readonly L[];
  readonly help: string;
  /** What else could have answered, and why it cannot. */
  readonly why: Reason;
}

/** By name. */
export type Table = Readonly<Record<string, Family>>;

/** Bounds of controller-runtime's reconcile histogram, so that its dashboards fit. */
const reconcileBuckets = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1,
  1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];

/** Powers of ten from 10 ns, as client-go's work queues have them. */
const queueBuckets = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

/** Prometheus' own, as controller-runtime has them for webhooks. */
const webhookBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Where another system has the family under the same name. */
const runtime: Reason = { source: 'controller-runtime' };
const clientGo: Reason = { source: 'client-go' };

export const byController = ['controller'] as const;
export const byQueue = ['name', 'controller'] as const;

export const builtInCounters = {
  controller_runtime_reconcile_total: {
    labels: ['controller', 'result'],
    help: 'Reconciles by controller and result',
    why: runtime,
  },
  controller_runtime_reconcile_errors_total: {
    labels: byController,
    help: 'Reconciles that failed',
    why: runtime,
  },
  workqueue_adds_total: {
    labels: byQueue,
    help: 'Actors that were touched and queued for a reconcile',
    why: clientGo,
  },
  workqueue_retries_total: {
    labels: byQueue,
    help: 'Reconciles retried after an error',
    why: clientGo,
  },
  rest_client_requests_total: {
    labels: ['code', 'method', 'host'],
    help: 'Requests to the API server by HTTP status, method and host',
    why: clientGo,
  },
  controller_runtime_webhook_requests_total: {
    labels: ['webhook', 'code'],
    help: 'Admission reviews by webhook path and HTTP status; a refusal is a 200',
    why: runtime,
  },
} as const satisfies Table;

export const builtInGauges = {
  controller_runtime_active_workers: {
    labels: byController,
    help: 'Running reconciles, averaged over the time since the last scrape',
    why: runtime,
  },
  controller_runtime_max_concurrent_reconciles: {
    labels: byController,
    help: 'Reconciles that can run at once: one, in a single-threaded process',
    why: runtime,
  },
  workqueue_depth: {
    labels: byQueue,
    help: 'Actors waiting for a reconcile',
    why: clientGo,
  },
  workqueue_unfinished_work_seconds: {
    labels: byQueue,
    help: 'Seconds of work in progress: 0 between reconciles, which a scrape never interrupts',
    why: clientGo,
  },
  workqueue_longest_running_processor_seconds: {
    labels: byQueue,
    help: 'Age of the longest running reconcile: 0, as above',
    why: clientGo,
  },
} as const satisfies Table;

type Histograms = Readonly<Record<string, Family & { readonly buckets: readonly number[] }>>;

export const builtInHistograms = {
  controller_runtime_reconcile_time_seconds: {
    labels: byController,
    help: 'Length of a reconcile, in the buckets of controller-runtime',
    buckets: reconcileBuckets,
    why: runtime,
  },
  workqueue_queue_duration_seconds: {
    labels: byQueue,
    help: 'Time from the touch of an actor to its reconcile',
    buckets: queueBuckets,
    why: clientGo,
  },
  workqueue_work_duration_seconds: {
    labels: byQueue,
    help: 'Length of a reconcile, in the buckets of client-go',
    buckets: queueBuckets,
    why: clientGo,
  },
  controller_runtime_webhook_latency_seconds: {
    labels: ['webhook'],
    help: 'Time from an admission review to its answer',
    buckets: webhookBuckets,
    why: runtime,
  },
} as const satisfies Histograms;
