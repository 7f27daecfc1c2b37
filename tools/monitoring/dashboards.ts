// The dashboards of the chart, as Grafana reads them: made of the data in boards/ by Grafana's own
// SDK, one file each in charts/coppice/dashboards. Called by test/surface, which checks them in.
import {
  LegendDisplayMode,
  LegendPlacement,
  TooltipDisplayMode,
  VizLegendOptionsBuilder,
  VizTooltipOptionsBuilder,
} from '@grafana/grafana-foundation-sdk/common';
import {
  DashboardBuilder,
  DashboardCursorSync,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  ThresholdsConfigBuilder,
  ThresholdsMode,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard';
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus';
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat';
import { PanelBuilder as GraphBuilder } from '@grafana/grafana-foundation-sdk/timeseries';
import { activator } from './boards/activator.ts';
import { api } from './boards/api.ts';
import { gangs, pools } from './boards/kinds.ts';
import { overview } from './boards/overview.ts';
import { reconcile } from './boards/reconcile.ts';
import { actors } from './boards/runtime.ts';
import type { Dashboard, Panel, Query } from './panel.ts';

export const dashboards: readonly Dashboard[] = [
  overview,
  reconcile,
  api,
  gangs,
  pools,
  actors,
  activator,
];

/** Which Prometheus, and which of our processes: whoever looks at the dashboard chooses. */
const source = { type: 'prometheus', uid: '${datasource}' } as const;

/** Grafana's grid has 24 columns. */
const columns = 24;
const graphHeight = 8;
const statHeight = 4;

const variable = (name: string, query: string) =>
  new QueryVariableBuilder(name)
    .label(name)
    .datasource(source)
    .query(query)
    .refresh(VariableRefresh.OnTimeRangeChanged)
    .multi(true)
    .includeAll(true)
    .allValue('.*');

const target = ({ expr, legend }: Query, at: number) =>
  new DataqueryBuilder()
    .refId('ABCDEFGH'.charAt(at))
    .datasource(source)
    .expr(expr)
    .legendFormat(legend);

function panelOf(panel: Panel, span: number) {
  const { title, about, unit, queries, stat } = panel;
  const builder = stat === undefined ? graph() : statOf(stat.red);
  const made = builder
    .title(title)
    .description(about)
    .unit(unit)
    .datasource(source)
    .span(span)
    .height(stat === undefined ? graphHeight : statHeight);
  for (const [at, query] of queries.entries()) made.withTarget(target(query, at));
  return made;
}

const graph = (): GraphBuilder =>
  new GraphBuilder()
    .min(0)
    .legend(
      new VizLegendOptionsBuilder()
        .showLegend(true)
        .displayMode(LegendDisplayMode.List)
        .placement(LegendPlacement.Bottom),
    )
    .tooltip(new VizTooltipOptionsBuilder().mode(TooltipDisplayMode.Multi));

function statOf(red: number | undefined): StatBuilder {
  const steps = [
    { value: null, color: 'green' },
    ...(red === undefined ? [] : [{ value: red + 1, color: 'red' }]),
  ];
  return new StatBuilder().thresholds(
    new ThresholdsConfigBuilder().mode(ThresholdsMode.Absolute).steps(steps),
  );
}

function dashboardOf({ name, title, about, rows }: Dashboard): object {
  // Files that a sidecar hands to Grafana are of this model; the newer one is for its API.
  // oxlint-disable-next-line typescript/no-deprecated
  const builder = new DashboardBuilder(title)
    .uid(`coppice-${name}`)
    .description(about)
    .tags(['coppice'])
    .time({ from: 'now-1h', to: 'now' })
    .refresh('30s')
    .timezone('browser')
    .tooltip(DashboardCursorSync.Crosshair)
    .withVariable(
      new DatasourceVariableBuilder('datasource').label('datasource').type('prometheus'),
    )
    .withVariable(variable('job', 'label_values(coppice_bus_connected, job)'))
    .withVariable(
      variable('instance', 'label_values(coppice_bus_connected{job=~"$job"}, instance)'),
    );
  for (const row of rows) {
    builder.withRow(new RowBuilder(row.title));
    const span = Math.max(columns / 4, Math.floor(columns / row.panels.length));
    for (const panel of row.panels) builder.withPanel(panelOf(panel, span));
  }
  return builder.build();
}

/** Path from the root of the checkout to text. */
export const dashboardFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    dashboards.map((dashboard) => [
      `charts/coppice/dashboards/${dashboard.name}.json`,
      `${JSON.stringify(dashboardOf(dashboard), null, 2)}\n`,
    ]),
  );
