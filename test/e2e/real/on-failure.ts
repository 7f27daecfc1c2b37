// Loaded before every test file on the real control plane: a test that fails leaves evidence
// behind, since the cluster goes with the run. Called by vitest, as vitest.config.ts beside it
// says.
import { afterEach, inject } from 'vitest';
import { transportOf } from '#test/cluster/client.ts';
import { collectEvidence } from '#test/support/evidence.ts';

const limitMs = 60_000;
const given = inject('real');

/** Before `onTestFinished`, where a test clears up. */
afterEach(async ({ task }) => {
  if ('missing' in given || task.result?.state !== 'fail') return;
  const client = await transportOf(given.kubeconfig);
  try {
    const scene = { client, nats: given.natsUrl, clusterFolder: given.folder };
    await collectEvidence(`${task.file.name} ${task.name}`, scene);
  } finally {
    await client.close();
  }
}, limitMs);
