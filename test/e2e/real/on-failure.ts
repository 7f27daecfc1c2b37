// Loaded before every test file on the real control plane: a test that fails leaves evidence
// behind, since the cluster goes with the run. Called by vitest, as vitest.config.ts beside it
// says.
import { beforeEach, inject } from 'vitest';
import { transportOf } from '#test/cluster/client.ts';
import { collectEvidence } from '#test/support/evidence.ts';

const limitMs = 60_000;
const given = inject('real');

beforeEach(({ task, onTestFailed }) => {
  if ('missing' in given) return;
  onTestFailed(async () => {
    const client = await transportOf(given.kubeconfig);
    try {
      const scene = { client, nats: given.natsUrl, clusterFolder: given.folder };
      await collectEvidence(`${task.file.name} ${task.name}`, scene);
    } finally {
      await client.close();
    }
  }, limitMs);
});
