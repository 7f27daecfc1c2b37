// Makes the families of src/metrics/families.ts in a registry, each with its labels typed, so that
// a wrong label is a type error. Called once by src/metrics/metrics.ts.
import { Counter, Gauge, Histogram, type PrometheusContentType, type Registry } from 'prom-client';
import { byController, byQueue } from './built-in.ts';
import { counters, type Family, gauges, histograms } from './families.ts';

type LabelOf<F extends Family> = F['labels'][number];

export type Families = {
  readonly [K in keyof typeof counters]: Counter<LabelOf<(typeof counters)[K]>>;
} & { readonly [K in keyof typeof gauges]: Gauge<LabelOf<(typeof gauges)[K]>> } & {
  readonly [K in keyof typeof histograms]: Histogram<LabelOf<(typeof histograms)[K]>>;
};

const results = ['success', 'error', 'requeue_after'] as const;

/** A rate over a series that appears with its first event misses that event: so all that go by
 *  controller start at 0. */
export function createFamilies(
  registry: Registry<PrometheusContentType>,
  controllers: readonly string[],
): Families {
  const made: Record<string, unknown> = {};
  const row = (name: string, { help, labels }: Family) => ({
    name,
    help,
    labelNames: [...labels],
    registers: [registry],
  });
  const atZero = ({ labels }: Family): Readonly<Record<string, string>>[] => {
    if (labels === byController) return controllers.map((controller) => ({ controller }));
    const isQueue = labels === byQueue;
    return isQueue ? controllers.map((controller) => ({ name: controller, controller })) : [];
  };
  for (const [name, family] of Object.entries(counters)) {
    const counter = (made[name] = new Counter(row(name, family)));
    for (const labels of atZero(family)) counter.inc(labels, 0);
  }
  for (const [name, family] of Object.entries(gauges)) {
    const gauge = (made[name] = new Gauge(row(name, family)));
    for (const labels of atZero(family)) gauge.set(labels, 0);
  }
  for (const [name, family] of Object.entries(histograms)) {
    const buckets = [...family.buckets];
    const histogram = (made[name] = new Histogram({ ...row(name, family), buckets }));
    for (const labels of atZero(family)) histogram.zero(labels);
  }
  // Each name was made by its own row just above; a mapped type cannot be built up in steps.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const families = made as Families;
  for (const controller of controllers) {
    for (const result of results) {
      families.controller_runtime_reconcile_total.inc({ controller, result }, 0);
    }
    families.controller_runtime_max_concurrent_reconciles.set({ controller }, 1);
  }
  return families;
}
