// Before the tests on the real control plane: starts a cluster and a NATS server for each worker,
// and takes them away at the end. Called by vitest, as vitest.config.ts beside it says.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { findNatsServer } from '#src/natsserver/binary.ts';
import { type NatsServer, startNatsServer } from '#src/natsserver/process.ts';
import { missing as unbuilt } from '#test/cluster/build.ts';
import { grantChart } from '#test/cluster/chart.ts';
import { transportOf } from '#test/cluster/client.ts';
import { binaries } from '#test/cluster/recipe.ts';
import { ownFolder, sweep } from '#test/cluster/leftovers.ts';
import { down, up, whyNotUp } from '#test/cluster/up.ts';
import { provideCrds } from './cluster-wide.ts';
import type { Given } from './given.ts';
import { workers } from './workers.ts';

/** As shells say that a program was ended by SIGTERM. */
const terminated = 143;

const prefix = 'coppice-real-';
const nodes = 20;

/** Not the speed of Kubernetes' own controllers is the subject here. */
const quick = {
  isStrict: true,
  hasRoles: true,
  hasGangs: true,
  schedulerLimit: { qps: 1000, burst: 2000 },
  managerLimit: { qps: 1000, burst: 2000 },
};

export default async function setup({ provide }: TestProject): Promise<() => Promise<void>> {
  const missing = (await whyNotUp()) ?? (await whyNoNats()) ?? whyNoHelm();
  if (missing !== undefined) {
    provide('real', { missing });
    return async () => {};
  }
  for (const folder of await sweep(prefix)) console.error(`took away what is left in ${folder}`);
  const root = ownFolder(prefix);
  const undo: (() => Promise<unknown>)[] = [
    () => Promise.resolve(rmSync(root, { recursive: true, force: true })),
  ];
  const undoAll = async (): Promise<void> => {
    for (const step of undo.toReversed()) await step();
  };
  let undone: Promise<void> | undefined;
  const teardown = (): Promise<void> => (undone ??= undoAll());
  // The reporters of vitest would end the process in the midst of that. The signal may come more
  // than once: to the whole group, and passed on by the launcher.
  process.removeAllListeners('SIGTERM');
  process.on('SIGTERM', () => void teardown().finally(() => process.exit(terminated)));
  const startPlane = async (worker: number): Promise<Given> => {
    const own = join(root, `worker-${worker}`);
    mkdirSync(own);
    const nats = await startNats(join(own, 'nats'));
    undo.push(() => nats.stop());
    const folder = join(own, 'cluster');
    undo.push(() => down(folder));
    return { root: own, ...(await startCluster(folder, nats.url)) };
  };
  try {
    const started = await Promise.allSettled(
      Array.from({ length: workers }, (_, n) => startPlane(n)),
    );
    const failed = started.find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
    const given = started.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    provide('real', { perWorker: given });
  } catch (error) {
    await teardown();
    throw error;
  }
  return teardown;
}

async function whyNoNats(): Promise<string | undefined> {
  try {
    await findNatsServer();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** The controllers get what the chart grants. */
const whyNoHelm = (): string | undefined =>
  unbuilt(binaries().filter(({ name }) => name === 'helm')).length === 0
    ? undefined
    : 'not built: helm. Build it: npm run cluster -- build';

async function startNats(dataDir: string): Promise<NatsServer> {
  const { path } = await findNatsServer();
  return startNatsServer({ binary: path, dataDir });
}

async function startCluster(folder: string, natsUrl: string): Promise<Omit<Given, 'root'>> {
  const { kubeconfig, etcdPort } = await up({ folder, port: 0, nodes, audit: true, ...quick });
  const etcdUrl = `http://127.0.0.1:${etcdPort}`;
  const admin = await transportOf(kubeconfig);
  try {
    await provideCrds(admin, folder);
    const controllerKubeconfig = await grantChart({ admin, kubeconfig, folder });
    return { folder, kubeconfig, controllerKubeconfig, etcdUrl, natsUrl };
  } finally {
    await admin.close();
  }
}
