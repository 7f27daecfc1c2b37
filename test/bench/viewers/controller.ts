// What viewers cost the controller: a deploy on a fresh cluster, watched by so many that take all
// facts, and a while without any change; the longest stall of its event loop, and its CPU.
import { setTimeout as pause } from 'node:timers/promises';
import { at } from '#machines/kubernetes/json.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { tokenOf } from '#test/support/tokens.ts';
import { must } from '#test/support/workload.ts';
import { Harness } from '../harness.ts';
import { InspectorSession } from '../inspector.ts';
import { limitsS2, onFresh } from '../runs.ts';
import type { Result } from '../statistics.ts';
import { deploy, podsPerReplica } from '../workload.ts';
import { startWorld } from '../world.ts';
import type { ViewersCommand } from './settings.ts';
import { Viewers } from './viewers.ts';

/** Of the histogram of Node: what is shorter is no stall. */
const resolutionMs = 5;

const watchStalls =
  `globalThis.stalls = process.getBuiltinModule('node:perf_hooks')` +
  `.monitorEventLoopDelay({ resolution: ${resolutionMs} }); stalls.enable()`;

const evaluate = (session: InspectorSession, expression: string): Promise<unknown> =>
  session.post('Runtime.evaluate', { expression, returnByValue: true });

async function longestStall(session: InspectorSession): Promise<number> {
  const nanoseconds = at(await evaluate(session, 'stalls.max'), 'result', 'value');
  return Math.round(Number(nanoseconds) / 1e4) / 100;
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** All service accounts of `default`, everywhere. The embedded cluster asks nobody. */
async function mayList(client: KubeTransport): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  await must(client, {
    method: 'POST',
    path: `/apis/${rbac}/v1/clusterrolebindings`,
    body: {
      apiVersion: `${rbac}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: 'viewers' },
      roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'Group', apiGroup: rbac, name: 'system:serviceaccounts:default' }],
    },
  });
}

/** One run with so many viewers; keys without a prefix. */
export function measureDeploy(
  { cluster, nodes, out, replicas, idleSeconds, quietSeconds }: ViewersCommand,
  count: number,
  say: (line: string) => void,
): Promise<Result> {
  const settings = {
    cluster,
    nodes,
    limits: limitsS2,
    out,
    isInspected: true,
    configuration: { inspector: { enabled: true, port: 0 } },
    say,
  } as const;
  return onFresh('inspector', settings, startWorld, async (world) => {
    const controller = await world.startController();
    const session = await InspectorSession.connect(controller.inspector ?? '');
    const token = await tokenOf(world.client, 'viewer');
    await mayList(world.client);
    const viewers = await Viewers.open(controller.page ?? '', token, count);
    await evaluate(session, watchStalls);
    const harness = new Harness(world, { quietSeconds, say });
    const pods = { least: replicas * podsPerReplica };
    const deployed = await harness.phase('deploy', () => deploy(world.client, replicas), {
      ready_s: { podsReady: pods },
    });
    const stall = await longestStall(session);
    const { facts, bytes } = viewers;
    const idle = await harness.phase('idle', () => pause(idleSeconds * 1000));
    viewers.close();
    session.close();
    const readySeconds = Number(deployed.milestones['ready_s']);
    const idleCpu = idle.usages['controller']?.cpuSeconds ?? 0;
    return {
      ready_s: readySeconds,
      cpu_s: round(deployed.usages['controller']?.cpuSeconds ?? 0),
      longest_stall_ms: stall,
      idle_cpu_percent: round((idleCpu / (idle.end - idle.start)) * 100),
      ...(count === 0
        ? {}
        : {
            facts_per_viewer_s: round(facts / readySeconds),
            mb_per_viewer_s: round(bytes / count / readySeconds / 1e6),
          }),
    };
  });
}
