// The conformance suite on the embedded cluster, over HTTPS as kubectl and the controller use it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCluster } from '#src/devcluster/cluster.ts';
import { systemClock } from '#src/time/clock.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { conformance } from './run.ts';
import { serverAt } from './server.ts';

const start = async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'coppice-conformance-'));
  const cluster = createCluster({ clock: systemClock, random: seeded(1), nodes: 1, dataDir });
  await cluster.start();
  const { kubeconfigPath = '' } = await cluster.listen();
  const at = await serverAt(kubeconfigPath);
  const compact = (): Promise<void> => {
    cluster.store.compact(cluster.store.version);
    return Promise.resolve();
  };
  return {
    server: { ...at.server, compact },
    stop: async () => {
      await at.close();
      await cluster.stop();
      await rm(dataDir, { recursive: true });
    },
  };
};

conformance({ name: 'The embedded cluster', label: 'embedded', isKubernetes: false, start });
