// The metrics of one process: takes the numbers of the Telemetry port and of every API request and
// renders them in Prometheus' text format. Made once by main.ts; src/http serves the text.
import { collectDefaultMetrics, type PrometheusContentType, Registry } from 'prom-client';
import type { BusState, Telemetry } from '#actors/ports.ts';
import type { ActorGauge, OperatorMetrics } from '#machines/contract/module.ts';
import type { Kind } from '#machines/kinds.ts';
import { actorGauges, type ViewsOf } from './actor-gauges.ts';
import { countOperators, type OperatorNumbers } from './operators.ts';
import { createFamilies, type Families } from './registered.ts';

const results = ['success', 'error', 'requeue_after'] as const;

export interface MetricsOptions {
  /** Names of the controllers (Behaviour.controller); their series are there from the start. */
  readonly controllers: readonly string[];
  /** Systems whose families are served too. */
  readonly operators: readonly OperatorMetrics[];
  /** Counts of actors that are served too. */
  readonly gauges?: readonly ActorGauge[];
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

/** What the numbers of a request must say; src/kube reports more. */
export interface RequestNumbers {
  readonly code: string;
  readonly method: string;
  readonly host: string;
}

/** What the numbers of an answer to an admission review must say. */
export interface AnswerNumbers {
  /** Of a webhook that there is. */
  readonly path: string;
  /** HTTP. */
  readonly status: number;
  readonly allowed: boolean;
  readonly seconds: number;
}

export interface Metrics {
  /** The numbers of the Telemetry port; src/metrics/telemetry.ts adds the log lines. */
  readonly numbers: Omit<Telemetry, 'log'>;
  readonly request: (request: RequestNumbers) => void;
  /** An admission review was answered. */
  readonly answered: (answer: AnswerNumbers) => void;
  readonly render: () => Promise<string>;
  readonly contentType: PrometheusContentType;
}

export function createMetrics(options: MetricsOptions): Metrics {
  const registry = new Registry<PrometheusContentType>();
  if (options.withProcess) collectDefaultMetrics({ register: registry });
  const families = createFamilies(registry);
  const busy = new Map<string, number>();
  startAtZero(families, options.controllers, busy);
  const sampleBus = busSampler(families);
  const sampleUndelivered = undeliveredSampler(families);
  const sampleLeases = leaseSampler(families);
  const sampleWorkers = workerSampler(families, busy, options.now);
  const sampleActors = actorGauges(registry, options.gauges ?? [], options.views ?? (() => []));
  return {
    numbers: createNumbers(families, busy, countOperators(registry, options.operators)),
    request: ({ code, method, host }) => families.requests.inc({ code, method, host }),
    answered: ({ path: webhook, status, allowed, seconds }) => {
      families.webhookRequests.inc({ webhook, code: String(status) });
      families.webhookLatency.observe({ webhook }, seconds);
      if (!allowed) families.admissionRefused.inc({ webhook });
    },
    render: () => {
      sampleBus(options.bus());
      sampleUndelivered(options.undelivered?.() ?? {});
      sampleLeases(options.leases?.());
      sampleWorkers();
      sampleActors();
      sampleWaiting(families, options);
      families.cacheAge.reset();
      for (const [kind, seconds] of options.cacheAges()) families.cacheAge.set({ kind }, seconds);
      return registry.metrics();
    },
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
  };
}

/** A rate over a series that appears with its first event misses that event: so all start at 0. */
function startAtZero(
  families: Families,
  controllers: readonly string[],
  busy: Map<string, number>,
): void {
  for (const controller of controllers) {
    busy.set(controller, 0);
    const queue = { name: controller, controller };
    for (const result of results) families.reconciles.inc({ controller, result }, 0);
    families.reconcileErrors.inc({ controller }, 0);
    families.chartRestores.inc({ controller }, 0);
    families.restarts.inc({ controller }, 0);
    families.queueAdds.inc(queue, 0);
    families.queueRetries.inc(queue, 0);
    families.activeWorkers.set({ controller }, 0);
    families.maxConcurrent.set({ controller }, 1);
    families.queueDepth.set(queue, 0);
    families.queueUnfinished.set(queue, 0);
    families.queueLongest.set(queue, 0);
    families.actors.set({ controller }, 0);
    families.parked.set({ controller }, 0);
    families.mailbox.set({ controller }, 0);
    families.reconcileTime.zero({ controller });
    families.fineReconcileTime.zero({ controller });
    families.queueTime.zero(queue);
    families.workTime.zero(queue);
  }
}

/** The events of the port as increments. */
function createNumbers(
  families: Families,
  busy: Map<string, number>,
  operators: OperatorNumbers,
): Metrics['numbers'] {
  return {
    ...operators,
    reconciled: ({ controller, seconds, result }) => {
      const queue = { name: controller, controller };
      busy.set(controller, (busy.get(controller) ?? 0) + seconds);
      families.reconciles.inc({ controller, result });
      families.reconcileTime.observe({ controller }, seconds);
      families.fineReconcileTime.observe({ controller }, seconds);
      families.workTime.observe(queue, seconds);
      if (result !== 'error') return;
      families.reconcileErrors.inc({ controller });
      families.queueRetries.inc(queue);
    },
    // Told when an actor's turn comes: it was added once, whatever mail it got meanwhile.
    queued: ({ controller, waitedSeconds }) => {
      const queue = { name: controller, controller };
      families.queueAdds.inc(queue);
      if (waitedSeconds !== undefined) families.queueTime.observe(queue, waitedSeconds);
    },
    wrote: ({ kind, op, outcome }) => families.writes.inc({ kind, op, outcome }),
    restarted: ({ controller }) => families.restarts.inc({ controller }),
    parked: () => undefined,
    unparked: () => undefined,
    chartRestored: ({ controller }) => families.chartRestores.inc({ controller }),
    actors: ({ controller, alive, parked }) => {
      families.actors.set({ controller }, alive);
      families.parked.set({ controller }, parked);
    },
  };
}

/** The bus keeps totals; a counter takes what came since the last scrape. */
function busSampler(families: Families): (state: BusState | undefined) => void {
  let last = { dropped: 0, published: 0, rejected: 0 };
  return (state) => {
    families.busConnected.set(state?.connected === true ? 1 : 0);
    if (typeof state?.roundTripMs === 'number') families.busRoundTrip.set(state.roundTripMs / 1000);
    else families.busRoundTrip.remove();
    if (state === undefined) return;
    families.busDropped.inc(Math.max(0, state.dropped - last.dropped));
    families.busPublished.inc(Math.max(0, state.published - last.published));
    families.busRejected.inc(Math.max(0, state.rejected - last.rejected));
    last = state;
  };
}

function undeliveredSampler(families: Families): (now: Readonly<Record<string, number>>) => void {
  const last = new Map<string, number>();
  return (now) => {
    for (const [reason, count] of Object.entries(now)) {
      families.messagesDropped.inc({ reason }, Math.max(0, count - (last.get(reason) ?? 0)));
      last.set(reason, count);
    }
  };
}

/** Without leases there are no series, so that nobody takes 0 held shards for a fault. */
function leaseSampler(families: Families): (state: LeaseNumbers | undefined) => void {
  let changes = 0;
  return (state) => {
    for (const family of [families.leasesHeld, families.leaseSure, families.leaseAge]) {
      family.remove();
    }
    if (state === undefined) return;
    families.leasesHeld.set(state.held);
    families.leaseSure.set(state.isSure ? 1 : 0);
    if (state.sinceRenewalMs !== undefined) families.leaseAge.set(state.sinceRenewalMs / 1000);
    families.leaseChanges.inc(state.changes - changes);
    changes = state.changes;
  };
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
    families.queueDepth.set({ name: controller, controller }, count);
    families.mailbox.set({ controller }, mail.get(controller) ?? 0);
  }
}

/** Reconciles are synchronous, so a scrape would always see none: give the share of time instead.
 *  */
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
      families.activeWorkers.set({ controller }, share);
      busy.set(controller, 0);
    }
  };
}
