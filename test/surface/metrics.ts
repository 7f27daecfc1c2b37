// The metric families: docs/metrics.md for people, a flat list for the diff. The families of the
// process (process_*, nodejs_*) come from the client library and are named, not described.
import { errorTypes } from '#src/metrics/error-types.ts';
import { leftOut } from '#src/metrics/process.ts';
import { codesOf, persistentErrorTypes } from '#tools/monitoring/errors.ts';
import { allFamilies, type NamedFamily } from './families.ts';
import { generatedBy, page, table } from './page.ts';
import { type Series, seriesOf } from './series.ts';

export const renderMetrics = (): string =>
  page(...allFamilies.map(({ type, name, labels }) => `${type} ${name}{${labels.join(',')}}`));

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
      allFamilies.map(({ type, name, labels, help }) => [
        `\`${name}\``,
        type,
        labels.map((label) => `\`${label}\``).join(' '),
        help,
      ]),
    ),
    '',
    ...reasons(),
    '',
    ...omitted(),
    '## What is always 0',
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
    'A transient type ends by itself: the write is repeated, and a burst of them during an upgrade or a failover of',
    'the API server is normal. A persistent one needs a person: the same write fails until somebody changes',
    'permissions, the object or the program. Alert on persistent types at once, on transient ones by their rate.',
    '',
    ...table(
      ['`error_type`', 'ends by itself', 'codes'],
      errorTypes.map((type) => [
        `\`${type}\``,
        persistentErrorTypes.includes(type) ? 'no' : 'yes',
        codesOf(type)
          .map((code) => `\`${code}\``)
          .join(' '),
      ]),
    ),
  );

/** Families of the process that are not served. */
const omitted = (): readonly string[] => [
  '## What is left out',
  '',
  'The client library has five families whose names `promtool check metrics` refuses: gauges that are called a',
  'total, and names that end in their type. They are not served. Sums of others are the same figures; the use of',
  'one CPU is near to that of the event loop, with the collector of garbage besides.',
  '',
  ...table(
    ['family', 'ask instead'],
    Object.entries(leftOut).map(([name, query]) => [code(name), code(query)]),
  ),
  '',
];

/** Why each family is there: whose it is, or what the nearest one cannot answer. */
function reasons(): readonly string[] {
  const sources = new Map<string, string[]>();
  const own: NamedFamily[] = [];
  for (const family of allFamilies) {
    if ('source' in family.why) {
      const names = sources.get(family.why.source) ?? [];
      sources.set(family.why.source, [...names, family.name]);
    } else own.push(family);
  }
  return [
    '## Why each family is there',
    '',
    'Most families have the names, labels and meaning of another system, so that its dashboards and alerts work:',
    '',
    ...table(
      ['source', 'families'],
      [...sources].map(([source, names]) => [source, names.map(code).join(' ')]),
    ),
    '',
    'The others are ours. Each has the family of those systems, or of Kubernetes and Prometheus, that comes nearest,',
    'and what that one cannot answer. `series` is the greatest number in one process with all modules, from the values',
    `that the labels can take: ${inController} in all for a controller.`,
    '[0047](decisions/0047-a-metric-has-a-reason.md) lists what was rejected.',
    '',
    ...table(
      ['family', 'series', 'nearest', 'what that cannot answer'],
      own.map(({ name, labels, why }) => [
        code(name),
        said(seriesOf(name, labels)),
        'nearest' in why ? code(why.nearest) : '',
        'gap' in why ? why.gap : '',
      ]),
    ),
  ];
}

/** The activator is a process of its own. */
const inController = allFamilies
  .filter(({ name }) => name.startsWith('coppice_'))
  .reduce((sum, { name, labels }) => sum + seriesOf(name, labels).count, 0);

const said = ({ count, per }: Series): string =>
  per === undefined ? `${count}` : `${count} per ${per}`;

const code = (text: string): string => `\`${text}\``;
