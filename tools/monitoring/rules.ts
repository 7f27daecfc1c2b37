// The alerts as Prometheus reads them: charts/coppice/monitoring/alerts.yaml, which the chart wraps
// into a PrometheusRule and who has no Prometheus operator names in `rule_files`. Called by
// test/surface, which checks it in.
import { stringify } from 'yaml';
import { type Alert, alerts } from './alerts.ts';

export const rulesPath = 'charts/coppice/monitoring/alerts.yaml';

/** Where the runbook of an alert is; the chart puts the alert's name in the place of `%s`. A
 *  checkout knows no address of its own, so this is the page in the checkout, and the release makes
 *  it an address: `.github/workflows/release.yml`. */
export const runbookUrl = 'docs/runbooks/%s.md';

const origin =
  '# Written by `npm run surface` from tools/monitoring/alerts.ts; do not edit by hand.\n';

const ruleOf = ({ name, expr, for: holds, severity, summary, description }: Alert) => ({
  alert: name,
  expr,
  for: holds,
  labels: { severity },
  annotations: { summary, description, runbook_url: runbookUrl.replace('%s', name) },
});

export const rulesFile = (): string =>
  origin +
  stringify({ groups: [{ name: 'coppice', rules: alerts.map(ruleOf) }] }, { lineWidth: 0 });
