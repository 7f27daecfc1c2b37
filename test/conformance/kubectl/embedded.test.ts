// kubectl's commands on the embedded cluster: what they print is what they print on a real one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installCrds } from '#src/dev/crds.ts';
import { createCluster } from '#src/devcluster/cluster.ts';
import { systemClock } from '#src/time/clock.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { onEmbedded } from './differences.ts';
import { kubectlSuite } from './run.ts';

kubectlSuite({
  server: 'The embedded cluster',
  differences: onEmbedded,
  isModel: false,
  start: async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'coppice-kubectl-'));
    const cluster = createCluster({ clock: systemClock, random: seeded(1), nodes: 1, dataDir });
    await cluster.start();
    await installCrds(cluster.transport());
    const { kubeconfigPath = '' } = await cluster.listen();
    return {
      kubeconfig: kubeconfigPath,
      stop: async () => {
        await cluster.stop();
        await rm(dataDir, { recursive: true });
      },
    };
  },
});
