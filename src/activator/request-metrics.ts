// The metrics of requests, read from the figures of the request path at each scrape (spec activator
// 1.16). The series of a revision go when it is gone and its last request has ended. Used by
// metrics.ts.
import { Counter, Gauge, Histogram, type PrometheusContentType, type Registry } from 'prom-client';
import type { RevisionPlane } from './data-plane.ts';
import { requestCounters, requestDurations, requestGauges, workerDeaths } from './families.ts';
import { durationBounds, type Figures, type RevisionFigures } from './proxy/figures.ts';

type Made = Registry<PrometheusContentType>;

/** Each call of what it returns reads the figures once. */
export function requestSampler(
  registry: Made,
  figures: Figures,
  plane: () => Pick<RevisionPlane, 'find'> | undefined,
): () => void {
  const registers = [registry];
  const queued = new Gauge({ ...made(requestGauges.queued), registers });
  const active = new Gauge({ ...made(requestGauges.active), registers });
  const ended = new Counter({ ...made(requestCounters.ended), registers });
  const classes = new Counter({ ...made(requestCounters.classes), registers });
  const deaths = new Counter({ ...made(workerDeaths), registers });
  serveDurations(registry, figures);
  return () => {
    for (const metric of [queued, active, ended, classes, deaths]) metric.reset();
    deaths.inc(figures.workerDeaths);
    for (const one of figures.all()) {
      const { namespace, name } = one;
      if (one.underWay === 0 && plane()?.find(namespace, name) === undefined) {
        figures.forget(one.key);
        continue;
      }
      const labels = { k8s_namespace_name: namespace, kn_revision_name: name };
      queued.set(labels, one.queued);
      active.set(labels, one.active);
      for (const [ending, count] of Object.entries(one.endings)) {
        ended.inc({ ...labels, ending }, count);
      }
      one.classes.forEach((count, hundreds) => {
        const kind = hundreds === 0 ? 'none' : `${hundreds}xx`;
        if (count > 0) classes.inc({ ...labels, response_code_class: kind }, count);
      });
    }
  };
}

/** The client library counts each observation itself; here they are counted already. */
function serveDurations(registry: Made, figures: Figures): void {
  const { name, help, labels } = requestDurations;
  const family = { name, help };
  const histogram = new Histogram({
    ...family,
    labelNames: [...labels],
    buckets: [...durationBounds],
    registers: [registry],
  });
  const read = () =>
    Promise.resolve({
      ...family,
      type: 'histogram',
      aggregator: 'sum',
      values: [...figures.all()].flatMap(durationsOf),
    });
  Object.assign(histogram, { get: read, getForPromString: read });
}

function durationsOf({ namespace, name, rules, durations, durationSum }: RevisionFigures) {
  const labels = {
    kn_service_name: rules.service,
    kn_configuration_name: rules.configuration,
    k8s_namespace_name: namespace,
    kn_revision_name: name,
  };
  let sum = 0;
  const buckets = durations.map((count, at) => {
    sum += count;
    const le = durationBounds[at] ?? '+Inf';
    return { metricName: `${requestDurations.name}_bucket`, labels: { le, ...labels }, value: sum };
  });
  return [
    ...buckets,
    { metricName: `${requestDurations.name}_sum`, labels, value: durationSum },
    { metricName: `${requestDurations.name}_count`, labels, value: sum },
  ];
}

const made = ({
  name,
  help,
  labels,
}: {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}) => ({ name, help, labelNames: [...labels] });
