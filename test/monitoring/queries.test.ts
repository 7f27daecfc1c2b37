// Every query that people get from us, in alerts, dashboards and pages, can be read and asks for
// metrics that there are.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { counters } from '#src/metrics/families.ts';
import { allBehaviours } from '#test/support/modules.ts';
import { Exposition } from '#test/support/exposition.ts';
import { chartStates } from '#test/surface/series.ts';
import { allFamilies } from '#test/surface/families.ts';
import { root } from '#test/tidy/sources.ts';
import { alerts } from '#tools/monitoring/alerts.ts';
import { dashboards } from '#tools/monitoring/dashboards.ts';
import { readPromql } from './promql.ts';
import { quietMetrics } from '#test/support/metrics.ts';

/** Of Prometheus itself, and of the API server, which a runbook may send people to. */
const foreign = ['ALERTS', 'apiserver_flowcontrol_rejected_requests_total'];

/** Those of the client library, which are not in the table. */
const ofProcess = new Exposition(await quietMetrics({ withProcess: true }).render()).families;

const known = new Set([
  ...ofProcess,
  ...foreign,
  ...allFamilies.flatMap(({ name, type }) =>
    type === 'histogram' ? ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`) : name,
  ),
  'nodejs_gc_duration_seconds_sum',
]);

const pages = globSync('docs/{monitoring.md,runbooks/*.md}', { cwd: root });

const fences = pages.flatMap((page) =>
  Array.from(
    readFileSync(join(root, page), 'utf8').matchAll(/^```promql\n([\s\S]*?)\n```$/gm),
    ([, expr = '']) => ({ where: page, expr }),
  ),
);

const panels = dashboards.flatMap(({ name, rows }) =>
  rows.flatMap((row) =>
    row.panels.flatMap(({ title, queries }) =>
      queries.map(({ expr, legend }) => ({ where: `${name}: ${title}`, expr, legend })),
    ),
  ),
);

const all = [...alerts.map(({ name, expr }) => ({ where: name, expr })), ...panels, ...fences];

describe('A query', () => {
  it.each(all)('of $where can be read, and its metrics are served: $expr', ({ expr }) => {
    const { isWrong, metrics } = readPromql(expr);
    expect(isWrong).toBe(false);
    expect(metrics).not.toEqual([]);
    expect(metrics.filter((name) => !known.has(name))).toEqual([]);
  });

  it('that cannot be read, or asks for what there is not, is found', () => {
    expect(readPromql('sum by (job (up)').isWrong).toBe(true);
    const { metrics } = readPromql('rate(coppice_unheard_of_total{job=~"$job"}[$__rate_interval])');
    expect(metrics).toEqual(['coppice_unheard_of_total']);
    expect(metrics.filter((name) => known.has(name))).toEqual([]);
  });

  it('for states of charts asks for states that there are', () => {
    const asked = all.flatMap(({ where, expr }) =>
      Array.from(
        expr.matchAll(/controller="([\w-]+)",state=~"([^"]+)"/g),
        ([, controller = '', state = '']) => ({ where, controller, state }),
      ),
    );
    expect(asked.length).toBeGreaterThan(8);
    for (const { where, controller, state } of asked) {
      const states = allBehaviours
        .filter((behaviour) => behaviour.controller === controller)
        .flatMap(chartStates);
      const pattern = new RegExp(`^(?:${state})$`);
      expect(
        states.filter((name) => pattern.test(name)),
        `${where}: ${state}`,
      ).not.toEqual([]);
    }
  });
});

describe('Legends and labels', () => {
  const labelsOf = new Map(allFamilies.map(({ name, labels }) => [name, labels]));
  const scraped = ['namespace', 'job', 'instance', 'le', 'alertname', 'alertstate', '$'];

  it.each(panels)('of $where name labels of their metrics', ({ expr, legend }) => {
    const allowed = new Set([
      ...scraped,
      ...readPromql(expr).metrics.flatMap(
        (name) =>
          labelsOf.get(name.replace(/_(?:bucket|sum|count)$/, '')) ?? labelsOf.get(name) ?? [],
      ),
    ]);
    const named = Array.from(legend.matchAll(/\{\{(\w+)\}\}/g), ([, label = '']) => label);
    const grouped = Array.from(expr.matchAll(/by \(([^)]*)\)/g), ([, labels = '']) =>
      labels.split(', '),
    ).flat();
    expect([...named, ...grouped].filter((label) => !allowed.has(label))).toEqual([]);
  });

  it('are checked against the table of families', () => {
    expect(labelsOf.get('coppice_writes_total')).toEqual(counters.coppice_writes_total.labels);
  });
});
