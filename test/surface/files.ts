// The texts that are written from the code and checked in: the public surface, one plain file per
// part, and the reference pages. A change of the surface is so a visible diff. `npm run surface`
// writes them, written.test.ts compares.
import { sizingPage, sizingPath } from '#test/bench/growth/page.ts';
import { activatorPage, activatorPath } from './activator.ts';
import { admissionPage } from './admission.ts';
import { chartsPage } from './charts.ts';
import { renderCli } from './cli.ts';
import { clientResources, clientTypes } from './client.ts';
import { configurationPage, renderConfiguration } from './configuration.ts';
import { errorsPage, renderErrors } from './errors.ts';
import { embeddedClusterPage, embeddedClusterPath } from './differences.ts';
import { renderEvents } from './events.ts';
import { compatibilityPage, compatibilityPath } from './grove.ts';
import { renderLicenses } from './licenses.ts';
import { metricsPage, renderMetrics } from './metrics.ts';
import { monitoringFiles } from './monitoring.ts';
import { pluginPage, pluginPath, renderPlugin } from './plugin.ts';
import { chartPictures, picturesPath } from './pictures.ts';
import { referencePages } from './reference.ts';
import { stateMetricsFile } from '#tools/chart/state-metrics-file.ts';
import { stateMetricsPage, stateMetricsPath } from './state-metrics.ts';
import { chartFiles } from './values.ts';
import { whyPage } from './why.ts';
import { renderFacts, renderSubjects } from './subjects.ts';

/** Path from the root of the checkout to text. */
export const surfaceFiles = async (): Promise<Readonly<Record<string, string>>> => ({
  'client/kinds.d.mts': clientTypes(),
  'client/resources.mjs': clientResources(),
  'docs/surface/cli.txt': renderCli(),
  'docs/surface/configuration.txt': renderConfiguration(),
  'docs/surface/errors.txt': renderErrors(),
  'docs/surface/events.txt': renderEvents(),
  'docs/surface/facts.txt': renderFacts(),
  'docs/surface/licenses.txt': renderLicenses(),
  'docs/surface/metrics.txt': renderMetrics(),
  'docs/surface/plugin.txt': renderPlugin(),
  'docs/surface/subjects.txt': renderSubjects(),
  [activatorPath]: activatorPage(),
  'docs/admission.md': admissionPage(),
  'docs/charts.md': chartsPage(),
  'docs/configuration.md': configurationPage(),
  [embeddedClusterPath]: embeddedClusterPage(),
  'docs/errors.md': errorsPage(),
  [compatibilityPath]: compatibilityPage(),
  'charts/kube-state-metrics.yaml': stateMetricsFile(),
  [stateMetricsPath]: stateMetricsPage(),
  'docs/metrics.md': metricsPage(),
  ...monitoringFiles(),
  [pluginPath]: pluginPage(),
  [sizingPath]: sizingPage(),
  'docs/why.md': whyPage(),
  ...referencePages(),
  ...chartFiles(),
  [picturesPath]: await chartPictures(),
});
