// The metrics of a process in which nothing happens, but for what a test says: no bus, no caches,
// no actors, and not those of the process itself.
import { createMetrics, type Metrics, type MetricsOptions } from '#src/metrics/metrics.ts';

export const quietMetrics = (options: Partial<MetricsOptions> = {}): Metrics =>
  createMetrics({
    controllers: [],
    operators: [],
    now: () => 0,
    bus: () => undefined,
    cacheAges: () => [],
    actors: () => [],
    withProcess: false,
    ...options,
  });
