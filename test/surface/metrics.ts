// The metric families: docs/metrics.md for people, a flat list for the diff. The families of the
// process (process_*, nodejs_*) come from the client library and are named, not described.
import {
  planeCounters,
  planeGauges,
  requestCounters,
  requestDurations,
  requestGauges,
} from '#src/activator/families.ts';
import { errorTypeOf, errorTypes } from '#src/metrics/error-types.ts';
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
import { generatedBy, page, table } from './page.ts';

const rows = (type: string, table: Readonly<Record<string, Family>>) =>
  Object.entries(table).map(([name, family]) => ({ type, name, ...family }));

const families = [
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
  ...Object.values({ ...planeCounters, ...requestCounters }).map((family) => ({
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

export const renderMetrics = (): string =>
  page(...families.map(({ type, name, labels }) => `${type} ${name}{${labels.join(',')}}`));

export const metricsPage = (): string =>
  page(
    '# Metrics',
    '',
    generatedBy('src/metrics/families.ts'),
    '',
    '`/metrics` serves these families as text. Labels are bounded: none holds the name or namespace of an',
    'object, except in the families `agent_sandbox*`, whose labels are those of agent-sandbox: a namespace, a',
    'template and a warm pool. `agentSandbox.metrics.objectLabels: false` leaves these empty. One reconcile',
    'of an actor counts as one reconcile of controller-runtime, and the touched actors that wait are the work',
    'queue, so dashboards built for controller-runtime work. The client library adds `process_*` and `nodejs_*`.',
    '',
    'In plain HTTP, on `server.metricsPort`, anyone who reaches the port may read them. The port of the [questions](questions.md) serves them',
    'over TLS to those whose token may `get` the path `/metrics`; the chart has only that, and a ServiceMonitor or PodMonitor for it.',
    '',
    'An activator serves the families `activator_*`, and those that its actors share with all others, with',
    '`controller="revision"`. Its fragmentation ratio has the namespace and name of a revision as labels; the',
    'series goes with the revision. So do those of requests: `kn_revision_*` and `http_server_*` have the names',
    'and labels of Knative.',
    '',
    ...table(
      ['family', 'type', 'labels', 'meaning'],
      families.map(({ type, name, labels, help }) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(' '),
        help,
      ]),
    ),
    '',
    'Reconciles are synchronous on one thread, which a scrape never interrupts. So `…_unfinished_work_seconds` and',
    '`…_longest_running_processor_seconds` are always 0, and `controller_runtime_active_workers` is the share of',
    'time spent settling since the last scrape.',
    '',
    '## Error types',
    '',
    '`error_type` of `grove_operator_reconcile_errors_total` has eight values, by the code of the error',
    '([errors](errors.md)). With three controllers and three target kinds the two `grove_operator_*` families',
    'have 33 series, all present at zero from the start.',
    '',
    ...table(
      ['`error_type`', 'codes'],
      errorTypes.map((type) => [
        `\`${type}\``,
        Object.entries(errorTypeOf)
          .filter(([, value]) => value === type)
          .map(([code]) => `\`${code}\``)
          .join(' '),
      ]),
    ),
  );
