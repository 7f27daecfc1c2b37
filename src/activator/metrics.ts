// The metrics of an activator process: those of its actors, and those of its tables, which are read
// at each scrape and gone with their revision. Made by start.ts.
import { Counter, Gauge, type PrometheusContentType, type Registry } from 'prom-client';
import { activator } from '#machines/activator/module.ts';
import { createMetrics, type Metrics, type MetricsOptions } from '#src/metrics/metrics.ts';
import type { RevisionPlane, Totals } from './data-plane.ts';
import { planeCounters, planeGauges } from './families.ts';
import type { Figures } from './proxy/figures.ts';
import { requestSampler } from './request-metrics.ts';
import type { Revisions } from './supervise.ts';

/** `revisions`: undefined before they are there. */
export const activatorMetrics = (
  revisions: () => Revisions | undefined,
  {
    figures,
    ...options
  }: Pick<MetricsOptions, 'now' | 'withProcess'> & { readonly figures?: Figures | undefined },
): Metrics =>
  createMetrics({
    ...options,
    controllers: activator.behaviours.map(({ controller }) => controller),
    operators: [],
    measured: activator.families ?? [],
    bus: () => undefined,
    cacheAges: () => [],
    actors: () => actorsOf(revisions()),
    sampled: (registry) => {
      const plane = () => revisions()?.plane;
      const samplePlane = planeSampler(registry, plane);
      const sampleRequests = figures && requestSampler(registry, figures, plane);
      return () => {
        samplePlane();
        sampleRequests?.();
      };
    },
  });

function* actorsOf(revisions: Revisions | undefined): ReturnType<MetricsOptions['actors']> {
  for (const { machine: controller, mailbox, state } of revisions?.system.rows() ?? []) {
    yield { controller, mailbox, state };
  }
}

type Made = Registry<PrometheusContentType>;

/** Each call reads the plane once. */
function planeSampler(registry: Made, plane: () => RevisionPlane | undefined): () => void {
  const registers = [registry];
  const table = new Gauge({ ...made(planeGauges.table), registers });
  const fragmentation = new Gauge({ ...made(planeGauges.fragmentation), registers });
  const counters = new Map(
    totalNames.map((name) => [name, new Counter({ ...made(planeCounters[name]), registers })]),
  );
  return () => {
    const now = plane();
    if (now === undefined) return;
    const sums = noSums();
    // Those of revisions that are gone go too.
    fragmentation.reset();
    for (const { key, revision } of now.all()) {
      const { figures } = revision.admission.table;
      sums.slots += figures.slots;
      sums.high_water += figures.highWater;
      sums.live += figures.live;
      sums.routable += figures.routable;
      sums.active += figures.active;
      sums.capacity += figures.capacity;
      sums.pending += revision.pending;
      sums.waiting += revision.admission.figures.waiting;
      fragmentation.set({ namespace: key.namespace, revision: key.name }, figures.fragmentation);
    }
    for (const [what, sum] of Object.entries(sums)) table.set({ what }, sum);
    const { totals } = now;
    for (const [name, counter] of counters) {
      counter.reset();
      counter.inc(totals[name]);
    }
  };
}

const isTotal = (name: string): name is keyof Totals => Object.hasOwn(planeCounters, name);
const totalNames = Object.keys(planeCounters).filter(isTotal);

const made = ({
  name,
  help,
  labels,
}: Readonly<Record<'name' | 'help', string>> & { labels: readonly string[] }) => ({
  name,
  help,
  labelNames: [...labels],
});

const noSums = () => ({
  slots: 0,
  high_water: 0,
  live: 0,
  routable: 0,
  pending: 0,
  waiting: 0,
  active: 0,
  capacity: 0,
});
