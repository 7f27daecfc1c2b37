// Loaded before every test file on the real control plane: tells the conformance suite where that
// is, and has a test that fails leave evidence behind, since the cluster goes with the run. Called
// by vitest, as vitest.config.ts beside it says.
import { afterEach } from 'vitest';
import { transportOf } from '#test/cluster/client.ts';
import { collectEvidence } from '#test/support/evidence.ts';
import { givenHere } from './given.ts';

const limitMs = 60_000;
const given = givenHere();
if ('missing' in given) process.env['COPPICE_CONFORMANCE_SKIP'] = given.missing;
else {
  process.env['COPPICE_CONFORMANCE_KUBECONFIG'] ??= given.kubeconfig;
  process.env['COPPICE_CONFORMANCE_ETCD'] ??= given.etcdUrl;
}

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
