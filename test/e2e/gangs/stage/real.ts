// The real control plane under the scenarios, which share it and one controller, each in a
// namespace and on nodes of its own. Used by real.test.ts.
import { eventually } from '#test/support/eventually.ts';
import { Onlooker } from '#src/bench/onlooker.ts';
import type { Program } from '#test/support/program.ts';
import { binary } from '#test/cluster/up.ts';
import type { Stage } from '../../real/stage.ts';
import type { Cluster } from './cluster.ts';

const limitMs = 120_000;

export async function realCluster(stage: Stage): Promise<Cluster & { end(): void }> {
  const onlooker = new Onlooker(stage.transport);
  await onlooker.synced;
  let controller: Program | undefined;
  return {
    client: stage.transport,
    onlooker,
    now: () => Date.now(),
    until: async (what, claim, tell) => {
      await eventually(what, tell, claim, limitMs);
    },
    drain: async (node) => {
      const flags = ['--kubeconfig', stage.given.kubeconfig, 'drain', node, '--ignore-daemonsets'];
      const kubectl = stage.run(binary('kubectl'), flags);
      const { code } = await kubectl.ended;
      if (code !== 0) throw new Error(kubectl.stderr.join('\n'));
    },
    endController: async () => controller?.kill(),
    startController: async () => {
      controller = await stage.controller();
    },
    end: () => onlooker.stop(),
  };
}
