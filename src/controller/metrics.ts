// The metrics of the controller, and what of the process they ask at every scrape. Called by
// start.ts.
import type { BusPort, Clock } from '#actors/ports.ts';
import type { ActorSystem } from '#actors/system.ts';
import type { Module } from '#machines/contract/module.ts';
import type { ActorKind, Kind } from '#machines/kinds.ts';
import type { Admission } from '#src/admission/start.ts';
import type { ProcessLeases } from '#src/leases/leases.ts';
import { createMetrics, type Metrics, type MetricsOptions } from '#src/metrics/metrics.ts';
import type { Questions } from '#src/questions/start.ts';
import type { Tracing } from '#src/tracing/start.ts';
import type { Watches } from './watches.ts';

/** What is made later than the metrics. */
interface Parts {
  readonly watches?: Watches;
  readonly system?: ActorSystem;
  readonly leases?: ProcessLeases | undefined;
  readonly admission?: Pick<Admission, 'servedUntil'> | undefined;
  readonly questions?: Pick<Questions, 'servedUntil'> | undefined;
}

export function startMetrics(
  served: readonly Module[],
  bus: BusPort | undefined,
  parts: Parts,
  clock: Clock,
  tracing: Tracing | undefined,
): Metrics {
  const behaviours = served.flatMap((module) => module.behaviours);
  const controllers = new Map(behaviours.map(({ kind, controller }) => [kind, controller]));
  return createMetrics({
    controllers: [...controllers.values()],
    operators: served.flatMap(({ operator }) => operator ?? []),
    gauges: served.flatMap(({ gauges }) => gauges ?? []),
    measured: served.flatMap(({ families }) => families ?? []),
    views: (kind) => parts.system?.views(kind) ?? [],
    now: () => clock.steady(),
    bus: () => bus?.state(),
    cacheAges: () => cacheAges(parts.watches),
    actors: () => actorsOf(parts.system, controllers),
    failing: () => failingWrites(parts.system, controllers, clock),
    undelivered: () => parts.system?.dropped() ?? {},
    leases: () =>
      parts.leases && { ...parts.leases.keeper.state(), shards: parts.leases.keeper.shards },
    certificates: () => [
      ['webhooks', parts.admission?.servedUntil()],
      ['questions', parts.questions?.servedUntil()],
    ],
    ...(tracing && { sampled: tracing.sampled }),
    withProcess: true,
  });
}

function* actorsOf(
  system: ActorSystem | undefined,
  controllers: ReadonlyMap<ActorKind, string>,
): ReturnType<MetricsOptions['actors']> {
  for (const { key, mailbox, state } of system?.rows() ?? []) {
    yield { controller: controllers.get(key.kind) ?? key.kind, mailbox, state };
  }
}

function* failingWrites(
  system: ActorSystem | undefined,
  controllers: ReadonlyMap<ActorKind, string>,
  clock: Clock,
): Iterable<readonly [string, number]> {
  for (const { about, since } of system?.blocked() ?? []) {
    yield [controllers.get(about.kind) ?? about.kind, (clock.now() - since) / 1000];
  }
}

function* cacheAges(watches: Watches | undefined): Iterable<readonly [Kind, number]> {
  for (const { kind, ageMs } of watches?.health() ?? [])
    if (ageMs !== null) yield [kind, ageMs / 1000];
}
