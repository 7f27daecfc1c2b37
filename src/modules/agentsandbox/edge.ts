// Warm pools of sandboxes at the edge of the process: their settings and what they need of the
// cluster. A row of src/modules/index.ts.
import { bounded } from '#machines/agentsandbox/families.ts';
import { agentsandbox, withoutExtensions } from '#machines/agentsandbox/module.ts';
import { type Module, withSettings } from '#machines/contract/module.ts';
import type { Kind } from '#machines/kinds.ts';
import type { Configuration } from '#src/config/schema.ts';
import type { ModuleEdge } from '../edge.ts';
import { requireServed } from '../served.ts';
import { buildInfo } from './build-info.ts';
import { agentSandboxSettings } from './settings.ts';

const extensions: readonly Kind[] = ['SandboxTemplate', 'SandboxClaim', 'SandboxWarmPool'];

export const agentSandboxEdge: ModuleEdge = {
  name: 'agentsandbox',
  module: (configuration, version) => {
    const served = withSettings(servedOf(configuration), agentSandboxSettings(configuration));
    return withMetrics(served, configuration, version);
  },
  preflight: async (options) => {
    const { configuration } = options;
    // Before anything is started: a file that it names may not be readable.
    agentSandboxSettings(configuration);
    const wanted: readonly Kind[] = configuration.agentSandbox.extensions ? extensions : [];
    await requireServed(['Sandbox', ...wanted], options, {
      setting: 'modules.agentsandbox',
      remedy: "apply the CRDs of the chart's subchart agentsandbox, or turn it off",
    });
    return servedOf(configuration).kinds;
  },
  webhooks: ({ agentSandbox: { conversionWebhook } }) =>
    conversionWebhook ? conversion() : undefined,
  dev: { title: 'warm pools', load: async () => (await import('./dev/dev.ts')).agentSandboxShow },
};

const conversion = async () => (await import('./conversion/webhook.ts')).sandboxWebhooks;

const servedOf = ({ agentSandbox }: Configuration) =>
  agentSandbox.extensions ? agentsandbox : withoutExtensions;

function withMetrics(
  module: Module,
  { agentSandbox: { metrics } }: Configuration,
  version: string,
): Module {
  const { gauges = [], families = [] } = module;
  const shown = families.map((family) =>
    family.type === 'info' ? { ...family, values: buildInfo(version) } : family,
  );
  if (metrics.objectLabels) return { ...module, families: shown };
  return {
    ...module,
    families: shown.map(bounded),
    gauges: gauges.map((gauge) => ('labels' in gauge ? bounded(gauge) : gauge)),
  };
}
