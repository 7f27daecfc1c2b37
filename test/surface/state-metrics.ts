// What kube-state-metrics tells of our kinds, as a page.
import { prefixOf, type StateKind, stateKinds } from '#tools/chart/state-metrics.ts';
import { allDefinitions } from './client.ts';
import { generatedBy, page, table } from './page.ts';

export const stateMetricsPath = 'docs/state-metrics.md';

const values = `# values of the chart kube-state-metrics of prometheus-community
customResourceState:
  enabled: true
  create: false
  name: coppice-state-metrics
  key: kube-state-metrics.yaml
rbac:
  extraRules:
    - apiGroups: [apiextensions.k8s.io]
      resources: [customresourcedefinitions]
      verbs: [list, watch]`;

/** What it has to read of each group. */
const rules = (): string[] =>
  [...Map.groupBy(stateKinds, ({ group }) => group)].flatMap(([group, rows]) => [
    `    - apiGroups: [${group}]`,
    `      resources: [${rows.map(pluralOf).join(', ')}]`,
    '      verbs: [list, watch]',
  ]);

function pluralOf({ group, kind }: StateKind): string {
  const found = allDefinitions().find((row) => row.group === group && row.kind === kind);
  if (found === undefined) throw new Error(`there is no CRD of ${kind}`);
  return found.plural;
}

export const stateMetricsPage = (): string =>
  page(
    '# Metrics of objects',
    '',
    generatedBy('tools/chart/state-metrics.ts'),
    '',
    'The controller counts what it does, and never names an object in a label. What a single object is like is told by',
    '[kube-state-metrics](https://github.com/kubernetes/kube-state-metrics), 2.18 or newer, which reads it from the API server.',
    '[`charts/kube-state-metrics.yaml`](../charts/kube-state-metrics.yaml) tells it of every kind that Coppice serves, for',
    '`--custom-resource-state-config-file`. It is a file and no part of the chart, for most clusters have a kube-state-metrics, and it',
    'reads one such file. A kind whose CRD is not installed has no series, and costs nothing.',
    '',
    '```sh',
    'kubectl -n monitoring create configmap coppice-state-metrics --from-file charts/kube-state-metrics.yaml',
    '```',
    '',
    '```yaml',
    values,
    ...rules(),
    '```',
    '',
    'Every series has `namespace`, and the name in a label that is called as its kind. A metric of a list has a series for each',
    'element. A field that is not set has no series.',
    ...stateKinds.flatMap((row) => [
      '',
      `## ${row.kind}`,
      '',
      `\`${row.group}/${row.version}\`; labels ${labelled(['namespace', row.kind.toLowerCase(), ...Object.keys(row.labels ?? {})])}.`,
      '',
      ...table(
        ['metric', 'labels besides', 'meaning'],
        row.metrics.map(({ name, labels = {}, states, help }) => [
          `\`${prefixOf(row)}_${name}\``,
          labelled([...Object.keys(labels), ...(states === undefined ? [] : [states.labelName])]),
          help,
        ]),
      ),
    ]),
  );

const labelled = (names: readonly string[]): string =>
  names.map((name) => `\`${name}\``).join(', ');
