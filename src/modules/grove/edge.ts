// Grove at the edge of the process: its settings, checks, webhooks, and what `coppice dev` shows. A
// row of src/modules/index.ts.
import { withSettings } from '#machines/contract/module.ts';
import { grove } from '#machines/grove/module.ts';
import type { ModuleEdge } from '../edge.ts';
import { checkBackends } from './capability.ts';
import { watchesComputeDomains } from './preflight.ts';
import { groveSettings, watchedKinds } from './settings.ts';

export const groveEdge: ModuleEdge = {
  name: 'grove',
  module: (configuration, version) => withSettings(grove, groveSettings(configuration, version)),
  preflight: async (options) => {
    await checkBackends(options);
    const hasDomains = await watchesComputeDomains(options);
    return watchedKinds(options.configuration, hasDomains ? ['computeDomains'] : []);
  },
  mayRead: ({ tokenSecrets }, { kind, namespace }) =>
    kind === 'Secret' && tokenSecrets.readNamespaces.includes(namespace),
  webhooks: async () => (await import('#src/admission/webhooks.ts')).groveWebhooks,
  plugin: async () => (await import('#src/devcluster/plugins/grove/index.ts')).grovePlugin,
  dev: { title: 'Grove', load: async () => (await import('./dev/dev.ts')).groveShow },
};
