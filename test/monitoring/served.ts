// What a process serves at `/metrics` that has just started: the families of the client library
// besides ours. For the tests of names and queries.
import { createMetrics } from '#src/metrics/metrics.ts';

export const servedMetrics = (controllers: readonly string[]): Promise<string> =>
  createMetrics({
    controllers,
    operators: [],
    now: () => 0,
    bus: () => undefined,
    cacheAges: () => [],
    actors: () => [],
    withProcess: true,
  }).render();
