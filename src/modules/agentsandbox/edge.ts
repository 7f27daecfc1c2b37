// Warm pools of sandboxes at the edge of the process: their settings and what they need of the
// cluster. A row of src/modules/index.ts.
import { agentsandbox } from '#machines/agentsandbox/module.ts';
import { withSettings } from '#machines/contract/module.ts';
import type { ModuleEdge } from '../edge.ts';
import { requireServed } from '../served.ts';

import { agentSandboxSettings } from './settings.ts';

export const agentSandboxEdge: ModuleEdge = {
  name: 'agentsandbox',
  module: (configuration) => withSettings(agentsandbox, agentSandboxSettings(configuration)),
  preflight: async (options) => {
    await requireServed(
      ['Sandbox', 'SandboxTemplate', 'SandboxClaim', 'SandboxWarmPool'],
      options,
      {
        setting: 'modules.agentsandbox',
        remedy: "apply the CRDs of the chart's subchart agentsandbox, or turn it off",
      },
    );
    return agentsandbox.kinds;
  },
};
