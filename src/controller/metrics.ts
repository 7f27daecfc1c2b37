// The metrics of the controller, and what of the process they ask at every scrape. Called by
// start.ts.
import type { BusPort } from '#actors/ports.ts';
import type { ActorSystem } from '#actors/system.ts';
import type { Module } from '#machines/contract/module.ts';
import type { ActorKind, Kind } from '#machines/kinds.ts';
import type { Reflection } from '#src/kube/client.ts';
import type { ProcessLeases } from '#src/leases/leases.ts';
import { createMetrics, type Metrics } from '#src/metrics/metrics.ts';
import type { Tracing } from '#src/tracing/start.ts';

/** What is made later than the metrics. */
interface Parts {
  readonly reflection?: Reflection;
  readonly system?: ActorSystem;
  readonly leases?: ProcessLeases | undefined;
}

export function startMetrics(
  served: readonly Module[],
  bus: BusPort | undefined,
  parts: Parts,
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
    now: () => performance.now(),
    bus: () => bus?.state(),
    cacheAges: () => cacheAges(parts.reflection),
    waiting: () => waitingMail(parts.system, controllers),
    undelivered: () => parts.system?.dropped() ?? {},
    leases: () => parts.leases?.keeper.state(),
    ...(tracing && { sampled: tracing.sampled }),
    withProcess: true,
  });
}

function* waitingMail(
  system: ActorSystem | undefined,
  controllers: ReadonlyMap<ActorKind, string>,
): Iterable<readonly [string, number]> {
  for (const { actors } of system?.trees() ?? []) {
    for (const { key, mailbox } of actors) yield [controllers.get(key.kind) ?? key.kind, mailbox];
  }
}

function* cacheAges(reflection: Reflection | undefined): Iterable<readonly [Kind, number]> {
  for (const { kind, ageMs } of reflection?.health() ?? [])
    if (ageMs !== null) yield [kind, ageMs / 1000];
}
