// The gauges that modules declare over what their actors show. Filled in at every scrape.
import { Gauge, type PrometheusContentType, type Registry } from 'prom-client';
import type { ActorGauge } from '#machines/contract/module.ts';
import type { ActorKind } from '#machines/kinds.ts';
import { object, text } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { actorFamily } from './families.ts';

export type ViewsOf = (kind: ActorKind) => Iterable<JsonObject>;

/** Counts anew with each call. */
export function actorGauges(
  registry: Registry<PrometheusContentType>,
  declared: readonly ActorGauge[],
  viewsOf: ViewsOf,
): () => void {
  const samplers = declared.map((one) => {
    const { name, help, labels } = actorFamily(one);
    const gauge = new Gauge<string>({ name, help, labelNames: [...labels], registers: [registry] });
    return () => sample(gauge, one, viewsOf(one.actor));
  });
  return () => {
    for (const run of samplers) run();
  };
}

function sample(gauge: Gauge<string>, declared: ActorGauge, views: Iterable<JsonObject>): void {
  const { field } = declared;
  if ('values' in declared) return countValues(gauge, declared, views);
  const emptied = Object.fromEntries((declared.emptied ?? []).map((label) => [label, '']));
  gauge.reset();
  for (const view of views) {
    if (view[field] === undefined) continue;
    const shown = object(view[field]);
    const labels = declared.labels.map((label) => [label, text(shown[label])]);
    gauge.inc({ ...Object.fromEntries(labels), ...emptied });
  }
}

/** Every value has its series, also with no actor. */
function countValues(
  gauge: Gauge<string>,
  { field, values }: Extract<ActorGauge, { values: unknown }>,
  views: Iterable<JsonObject>,
): void {
  const counts = new Map(values.map((value) => [value, 0]));
  for (const view of views) {
    const value = view[field];
    const count = typeof value === 'string' ? counts.get(value) : undefined;
    if (typeof value === 'string' && count !== undefined) counts.set(value, count + 1);
  }
  for (const [value, count] of counts) gauge.set({ [field]: value }, count);
}
