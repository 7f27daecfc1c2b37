// NVIDIA's ComputeDomains at the edge of the process: their settings, checks, and what
// the embedded cluster does for them. A row of src/modules/index.ts.
import { withSettings } from '#machines/contract/module.ts';
import { nvidia } from '#machines/nvidia/module.ts';
import type { ModuleEdge } from '../edge.ts';
import { checkComputeDomains } from './preflight.ts';
import { nvidiaSettings } from './settings.ts';

export const nvidiaEdge: ModuleEdge = {
  name: 'nvidia',
  module: (configuration) => withSettings(nvidia, nvidiaSettings(configuration)),
  // Also the kind that Grove watches only where its own switch is on.
  preflight: async (options) => {
    await checkComputeDomains(options);
    return nvidia.kinds;
  },
  plugin: async () => (await import('#src/devcluster/plugins/nvidia/index.ts')).nvidiaPlugin,
  dev: { title: 'ComputeDomains', load: async () => (await import('./dev/dev.ts')).nvidiaShow },
};
