// What Prometheus and Grafana get, as files of the chart, and the lists of both in
// docs/monitoring.md.
import { alerts } from '#tools/monitoring/alerts.ts';
import { dashboardFiles, dashboards } from '#tools/monitoring/dashboards.ts';
import { rulesFile, rulesPath } from '#tools/monitoring/rules.ts';
import { pageWith, table } from './page.ts';

const pagePath = 'docs/monitoring.md';

const monitoringPage = (): string =>
  pageWith(pagePath, 'tools/monitoring', [
    '## Alerts',
    '',
    '`critical` is for somebody to wake up, `warning` for the morning.',
    '',
    ...table(
      ['alert', 'severity', 'after', 'what is wrong'],
      alerts.map(({ name, severity, for: holds, summary }) => [
        `[${name}](runbooks/${name}.md)`,
        severity,
        holds,
        summary,
      ]),
    ),
    '',
    '## Dashboards',
    '',
    ...table(
      ['dashboard', 'what it answers', 'panels'],
      dashboards.map(({ title, about, rows }) => [
        title,
        about,
        rows.flatMap(({ panels }) => panels.map((panel) => panel.title)).join(', '),
      ]),
    ),
  ]);

export const monitoringFiles = (): Readonly<Record<string, string>> => ({
  [rulesPath]: rulesFile(),
  [pagePath]: monitoringPage(),
  ...dashboardFiles(),
});
