// Every metric family that is served besides process_* and nodejs_*, with its type: those of the
// process, of the modules and of the activator. The pages of metrics, the dashboards and the alerts
// are held to this list.
import {
  planeCounters,
  planeGauges,
  requestCounters,
  requestDurations,
  workerDeaths,
  requestGauges,
} from '#src/activator/families.ts';
import {
  actorFamily,
  counters,
  type Family,
  gauges,
  histograms,
  operatorFamilies,
} from '#src/metrics/families.ts';
import { spanCounter } from '#src/tracing/families.ts';
import { allModules } from '#test/support/modules.ts';

export interface NamedFamily extends Family {
  readonly name: string;
  readonly type: string;
}

const rows = (type: string, table: Readonly<Record<string, Family>>) =>
  Object.entries(table).map(([name, family]) => ({ type, name, ...family }));

export const allFamilies: readonly NamedFamily[] = [
  ...rows('counter', counters),
  ...allModules
    .flatMap(({ operator }) => (operator === undefined ? [] : [operatorFamilies(operator)]))
    .flatMap((named) => Object.values(named).map((family) => ({ type: 'counter', ...family }))),
  ...allModules
    .flatMap(({ gauges: declared }) => declared ?? [])
    .map((one) => ({ type: 'gauge', ...actorFamily(one) })),
  ...allModules
    .flatMap(({ families: declared }) => declared ?? [])
    .map((one) => ({ ...one, type: one.type === 'info' ? 'gauge' : one.type })),
  ...rows('gauge', gauges),
  ...Object.values({ ...planeCounters, ...requestCounters, workerDeaths }).map((family) => ({
    type: 'counter',
    ...family,
  })),
  ...Object.values({ ...planeGauges, ...requestGauges }).map((family) => ({
    type: 'gauge',
    ...family,
  })),
  { type: 'histogram', ...requestDurations },
  { type: 'counter', ...spanCounter },
  ...rows('histogram', histograms),
].toSorted((a, b) => (a.name < b.name ? -1 : 1));
