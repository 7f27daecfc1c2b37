// `coppice cluster`: the embedded cluster alone, with the CRDs installed, until a signal. A parent
// that started it with an IPC channel may ask for the request counts: the benchmarks do.
import { mkdirSync } from 'node:fs';
import { resolve } from 'node:path';
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import { type Cluster, createCluster } from '#src/devcluster/cluster.ts';
import { createLog } from '#src/log/log.ts';
import { clusterPlugins } from '#src/modules/index.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { installCrds } from './crds.ts';
import { refuseBusyPorts } from './ports.ts';

export interface ClusterFlags {
  readonly nodes: number;
  readonly data: string;
  readonly port: number;
}

/** Resolves with the exit code after a signal. Rejects when the port is busy. */
export async function runCluster(flags: ClusterFlags): Promise<number> {
  const stopped = stopSignal();
  await refuseBusyPorts([{ port: flags.port, use: 'the API server', flag: '--port' }]);
  const folder = resolve(flags.data);
  mkdirSync(folder, { recursive: true });
  const log = createLog({ level: 'warn', format: 'text', destination: 2, now: systemClock.now });
  const options = { clock: systemClock, random: systemRandom, nodes: flags.nodes, dataDir: folder };
  const cluster = createCluster({ ...options, plugins: await clusterPlugins(), log: log.line });
  try {
    await cluster.start();
    await installCrds(cluster.transport());
    const { url, kubeconfigPath } = await cluster.listen({ port: flags.port });
    process.stdout.write(`listening on ${url}\nexport KUBECONFIG=${kubeconfigPath ?? ''}\n`);
    answerParent(cluster);
    await stopped;
  } finally {
    await cluster.stop();
    log.close();
  }
  return exitCodes.ok;
}

/** Requests of controllers only, by "verb resource[/subresource] code". */
function answerParent(cluster: Cluster): void {
  const counts: Record<string, number> = {};
  cluster.requests.onRequest(({ verb, resource, subresource, code, userAgent }) => {
    if (!userAgent.startsWith('coppice-controller')) return;
    const key = `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`} ${code}`;
    counts[key] = (counts[key] ?? 0) + 1;
  });
  process.on('message', () => {
    process.send?.({ requests: counts });
  });
}
