// One measurement of growth: so many pods, deployed by so many processes on a fresh cluster, and a
// while at rest. Processes that share the work have their shards before it begins.
import { readFile } from 'node:fs/promises';
import { at, list, text } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { eventually } from '#test/support/eventually.ts';
import { get } from '#test/support/workload.ts';
import type { Controller } from '../controller.ts';
import { type Harness, pause, type Phase } from '../harness.ts';
import { conflicts, writes } from '../requests.ts';
import { usageOf } from '../usage.ts';
import { deploy, podsPerReplica } from '../workload.ts';
import type { World } from '../world.ts';
import { podsPerSet } from './settings.ts';

/** What a size takes; a flat row of the results. */
export interface Growth {
  readonly pods: number;
  readonly processes: number;
  /** From the first write of the user until all pods are ready and all statuses say so. */
  readonly deploy_s: number;
  /** Of all processes of the controller, without their start. */
  readonly cpu_s: number;
  readonly cpu_start_s: number;
  /** Of the one that used most. */
  readonly cpu_most_s: number;
  /** Of a second at rest, all processes. */
  readonly cpu_rest: number;
  /** Peak of the largest process. */
  readonly rss_mb: number;
  readonly writes: number;
  readonly conflicts: number;
  /** What all processes have read during the deploy, as it came over the network. */
  readonly read_mb: number;
  /** The servers together: on the real control plane kube-apiserver alone. */
  readonly apiserver_cpu_s: number;
  readonly apiserver_rss_mb: number;
  /** Of the script of the floor for as many pods; only where it was measured. */
  readonly floor_cpu_s?: number;
  readonly floor_s?: number;
}

interface GrowthOptions {
  readonly pods: number;
  readonly processes: number;
  readonly idleSeconds: number;
}

export async function measureGrowth(
  world: World,
  harness: Harness,
  { pods, processes, idleSeconds }: GrowthOptions,
): Promise<Growth> {
  const controllers: Controller[] = [];
  for (let index = 0; index < processes; index++) controllers.push(await world.startController());
  if (processes > 1) await shared(world.client, processes);
  const pids = controllers.map(({ pid }) => pid);
  const start = await cpuOf(pids);
  const read = await bytesRead(pids);
  const phase = await deployed(world, harness, pods);
  const read_mb = round(((await bytesRead(pids)) - read) / 1e6);
  const rest = await harness.phase('rest', () => pause(idleSeconds * 1000));
  const own = ownOf(phase);
  const peaks = await Promise.all(pids.map((pid) => usageOf(pid)));
  for (const controller of controllers) await controller.stop();
  const server = phase.usages['apiserver'] ?? phase.usages['cluster'];
  return {
    pods,
    processes,
    deploy_s: Math.max(...Object.values(phase.milestones)),
    cpu_s: sum(own),
    cpu_start_s: round(start),
    cpu_most_s: round(Math.max(...own)),
    cpu_rest: round(sum(ownOf(rest)) / (rest.end - rest.start)),
    rss_mb: Math.max(...peaks.map((usage) => usage?.peakRssMb ?? 0)),
    writes: writes(phase.requests),
    conflicts: conflicts(phase.requests),
    read_mb,
    apiserver_cpu_s: round(server?.cpuSeconds ?? 0),
    apiserver_rss_mb: server?.peakRssMb ?? 0,
  };
}

/** As many sets as it takes, all at once. */
function deployed({ client }: World, harness: Harness, pods: number): Promise<Phase> {
  const counts: number[] = [];
  for (let left = pods; left > 0; left -= podsPerSet) counts.push(Math.min(left, podsPerSet));
  const replicas = counts.map((count) => Math.ceil(count / podsPerReplica));
  const all = replicas.reduce((total, count) => total + count, 0);
  return harness.phase(
    'deploy',
    () => Promise.all(replicas.map((count, index) => deploy(client, count, `grown-${index}`))),
    {
      ready_s: { podsReady: { least: all * podsPerReplica } },
      available_s: { replicasAvailable: { least: all } },
      running_s: { podgangsRunning: { is: all } },
    },
  );
}

/** CPU seconds of each process of the controller in a phase. */
const ownOf = ({ usages }: Phase): readonly number[] =>
  Object.entries(usages)
    .filter(([name]) => name.startsWith('controller'))
    .map(([, usage]) => usage.cpuSeconds);

const round = (value: number): number => Math.round(value * 100) / 100;
const sum = (values: readonly number[]): number =>
  round(values.reduce((total, value) => total + value, 0));

async function cpuOf(pids: readonly number[]): Promise<number> {
  const usages = await Promise.all(pids.map((pid) => usageOf(pid)));
  return sum(usages.map((usage) => usage?.cpuSeconds ?? 0));
}

/** From files and sockets alike, of which the former are read at the start (proc(5), rchar). */
async function bytesRead(pids: readonly number[]): Promise<number> {
  const texts = await Promise.all(
    pids.map((pid) => readFile(`/proc/${pid}/io`, 'utf8').catch(() => '')),
  );
  return sum(texts.map((said) => Number(/^rchar: (\d+)$/m.exec(said)?.[1] ?? 0)));
}

/** Until every process has shards and none more than its part, by their Leases. */
export async function shared(
  client: KubeTransport,
  processes: number,
  namespace = 'default',
): Promise<void> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const holders = async (): Promise<readonly number[]> => {
    const counts = new Map<string, number>();
    for (const lease of list(at(await get(client, path), 'items'))) {
      if (!text(at(lease, 'metadata', 'name')).startsWith('coppice-shard-')) continue;
      const holder = text(at(lease, 'spec', 'holderIdentity'));
      counts.set(holder, (counts.get(holder) ?? 0) + 1);
    }
    return [...counts.values()];
  };
  const isShared = (counts: readonly number[]): boolean =>
    counts.length === processes && Math.max(...counts) <= Math.ceil(sum(counts) / processes);
  await eventually('shared', holders, isShared, 120_000);
}
