// The configuration that kube-state-metrics reads, from the table of state-metrics.ts. Called by
// test/surface, which checks it in as charts/kube-state-metrics.yaml.
import { stringify } from 'yaml';
import { prefixOf, stateKinds, type StateMetric } from './state-metrics.ts';

const origin =
  'Written by `npm run surface` from tools/chart/state-metrics.ts; do not edit by hand.';

/** Of fields that an object does not have yet kube-state-metrics says so in its log, for each and
 *  at every change, unless told that only who asks for such lines wants them. */
const errorLogV = 5;

/** What `--custom-resource-state-config-file` reads. */
export function stateMetricsFile(): string {
  const resources = stateKinds.map((row) => ({
    groupVersionKind: { group: row.group, version: row.version, kind: row.kind },
    metricNamePrefix: prefixOf(row),
    errorLogV,
    labelsFromPath: {
      namespace: ['metadata', 'namespace'],
      [row.kind.toLowerCase()]: ['metadata', 'name'],
      ...row.labels,
    },
    metrics: row.metrics.map(({ name, help, ...metric }) => ({ name, help, each: each(metric) })),
  }));
  const file = { kind: 'CustomResourceStateMetrics', spec: { resources } };
  const lines = stringify(file, { lineWidth: 0, aliasDuplicateObjects: false });
  return `# ${origin}\n${lines}`;
}

function each(metric: Omit<StateMetric, 'name' | 'help'>): object {
  const { path, valueFrom, labels, states, isInfo } = metric;
  const common = {
    path,
    ...(labels === undefined ? {} : { labelsFromPath: labels }),
    ...(valueFrom === undefined ? {} : { valueFrom }),
  };
  if (isInfo === true) return { type: 'Info', info: common };
  if (states !== undefined) return { type: 'StateSet', stateSet: { ...common, ...states } };
  return { type: 'Gauge', gauge: common };
}
