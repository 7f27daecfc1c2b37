// Makes the families of src/metrics/families.ts in a registry, each with its labels typed, so that
// a wrong label is a type error. Called once by src/metrics/metrics.ts.
import { Counter, Gauge, Histogram, type PrometheusContentType, type Registry } from 'prom-client';
import { counters, type Family, gauges, histograms } from './families.ts';

export type Families = ReturnType<typeof createFamilies>;

export function createFamilies(registry: Registry<PrometheusContentType>) {
  const registers = [registry];
  const common = <L extends string>({ name, help, labels }: Family<L>) => ({
    name,
    help,
    labelNames: labels,
    registers,
  });
  const counter = <L extends string>(family: Family<L>) => new Counter<L>(common(family));
  const gauge = <L extends string>(family: Family<L>) => new Gauge<L>(common(family));
  const histogram = <L extends string>(family: Family<L> & { buckets: readonly number[] }) =>
    new Histogram<L>({ ...common(family), buckets: [...family.buckets] });
  return {
    reconciles: counter(counters.reconciles),
    reconcileErrors: counter(counters.reconcileErrors),
    queueAdds: counter(counters.queueAdds),
    queueRetries: counter(counters.queueRetries),
    requests: counter(counters.requests),
    chartRestores: counter(counters.chartRestores),
    restarts: counter(counters.restarts),
    writes: counter(counters.writes),
    busDropped: counter(counters.busDropped),
    busPublished: counter(counters.busPublished),
    busRejected: counter(counters.busRejected),
    messagesDropped: counter(counters.messagesDropped),
    webhookRequests: counter(counters.webhookRequests),
    admissionRefused: counter(counters.admissionRefused),
    leaseChanges: counter(counters.leaseChanges),
    activeWorkers: gauge(gauges.activeWorkers),
    maxConcurrent: gauge(gauges.maxConcurrent),
    queueDepth: gauge(gauges.queueDepth),
    queueUnfinished: gauge(gauges.queueUnfinished),
    queueLongest: gauge(gauges.queueLongest),
    actors: gauge(gauges.actors),
    parked: gauge(gauges.parked),
    mailbox: gauge(gauges.mailbox),
    busConnected: gauge(gauges.busConnected),
    busRoundTrip: gauge(gauges.busRoundTrip),
    cacheAge: gauge(gauges.cacheAge),
    leasesHeld: gauge(gauges.leasesHeld),
    leaseSure: gauge(gauges.leaseSure),
    leaseAge: gauge(gauges.leaseAge),
    reconcileTime: histogram(histograms.reconcileTime),
    queueTime: histogram(histograms.queueTime),
    workTime: histogram(histograms.workTime),
    webhookLatency: histogram(histograms.webhookLatency),
    fineReconcileTime: histogram(histograms.fineReconcileTime),
  };
}
