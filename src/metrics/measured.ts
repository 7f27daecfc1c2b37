// The families that modules declare and that `measure` intents of their behaviours count. Made by
// metrics.ts; the recorder of tests asks for the same judgement.
import { Counter, Gauge, Histogram, type PrometheusContentType, type Registry } from 'prom-client';
import type { Telemetry } from '#actors/ports.ts';
import type { MeasuredFamily } from '#machines/contract/module.ts';

type Measured = Parameters<Telemetry['measured']>[0];

/** What is wrong with a number, if anything: it is not counted then, and a bug. */
export type Count = (event: Measured) => string | undefined;

export function countMeasured(
  registry: Registry<PrometheusContentType>,
  families: readonly MeasuredFamily[],
): Count {
  const counts = new Map(families.map((one) => [one.name, counterOf(registry, one)]));
  return (event) => {
    const wrong = misfit(families, event);
    if (wrong === undefined) counts.get(event.family)?.(event);
    return wrong;
  };
}

/** Undefined where one of the families takes it. */
export function misfit(
  families: readonly MeasuredFamily[],
  { family: name, labels, value }: Measured,
): string | undefined {
  const family = families.find((one) => one.name === name);
  if (family === undefined || family.type === 'info') return `no module has a family ${name}`;
  const isExact =
    Object.keys(labels).length === family.labels.length &&
    family.labels.every((label) => Object.hasOwn(labels, label));
  if (!isExact) {
    return `${name} has the labels ${family.labels.join()}, not ${Object.keys(labels).join()}`;
  }
  const isNumber = Number.isFinite(value) && (family.type === 'histogram' || value >= 0);
  return isNumber ? undefined : `${name} does not take ${value}`;
}

function counterOf(
  registry: Registry<PrometheusContentType>,
  family: MeasuredFamily,
): (event: Measured) => void {
  const { name, help } = family;
  const row = { name, help, labelNames: [...family.labels], registers: [registry] };
  const emptied = Object.fromEntries((family.emptied ?? []).map((label) => [label, '']));
  if (family.type === 'info') {
    if (family.values !== undefined) new Gauge(row).set({ ...family.values, ...emptied }, 1);
    return () => undefined;
  }
  if (family.type === 'counter') {
    const counter = new Counter(row);
    return ({ labels, value }) => counter.inc({ ...labels, ...emptied }, value);
  }
  const histogram = new Histogram({ ...row, buckets: [...family.buckets] });
  return ({ labels, value }) => histogram.observe({ ...labels, ...emptied }, value);
}
