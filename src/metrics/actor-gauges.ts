// The gauges that modules declare over what their actors show. Filled in at every scrape.
import { Gauge, type PrometheusContentType, type Registry } from 'prom-client';
import type { ActorGauge } from '#machines/contract/module.ts';
import type { ActorKind } from '#machines/kinds.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { actorFamily } from './families.ts';

export type ViewsOf = (kind: ActorKind) => Iterable<JsonObject>;

/** Counts anew with each call; every value has its series, also with no actor. */
export function actorGauges(
  registry: Registry<PrometheusContentType>,
  declared: readonly ActorGauge[],
  viewsOf: ViewsOf,
): () => void {
  const samplers = declared.map((one) => sampler(registry, one, viewsOf));
  return () => {
    for (const sample of samplers) sample();
  };
}

function sampler(
  registry: Registry<PrometheusContentType>,
  declared: ActorGauge,
  viewsOf: ViewsOf,
): () => void {
  const { actor, field, values } = declared;
  const { name, help, labels } = actorFamily(declared);
  const gauge = new Gauge({ name, help, labelNames: labels, registers: [registry] });
  return () => {
    const counts = new Map(values.map((value) => [value, 0]));
    for (const view of viewsOf(actor)) {
      const value = view[field];
      const count = typeof value === 'string' ? counts.get(value) : undefined;
      if (typeof value === 'string' && count !== undefined) counts.set(value, count + 1);
    }
    for (const [value, count] of counts) gauge.set({ [field]: value }, count);
  };
}
