// A deploy by the controller as the chart installs it: two replicas that share the work by leases,
// under the permissions that the chart grants and no others.
import { releaseNamespace } from '#test/cluster/chart.ts';
import { shared } from '../growth/measure.ts';
import { onFreshWorld, type RunOptions } from '../runs.ts';
import { runScale } from '../scale.ts';
import type { Result } from '../statistics.ts';

const replicas = 2;

/** `controller_cpu_deploy_s`: of both. */
export function scaleInstalled(options: RunOptions): Promise<Result> {
  const leases = { enabled: true, namespace: releaseNamespace };
  const settings = { ...options, configuration: { leases }, isGranted: true };
  return onFreshWorld('scale-installed', settings, async (world, measure) => {
    const other = await world.startController();
    const startController = async () => {
      const controller = await world.startController();
      await shared(world.client, replicas, releaseNamespace);
      return controller;
    };
    const short = { ...options, isShort: true };
    const result = await runScale({ ...world, startController }, measure(), short);
    await other.stop();
    const { controller_cpu_s: _, controller_2_cpu_s: second = 0, ...figures } = result;
    const cpu = Number(figures['controller_cpu_deploy_s'] ?? 0) + Number(second);
    return { ...figures, controller_cpu_deploy_s: cpu };
  });
}
