// The process that makes claims and looks on, asked by the benchmark over IPC. players.ts starts
// it.
import { serve } from '../../cliques/process/serve.ts';
import { type BurstOrder, Load } from './load.ts';

let load: Load | undefined;

serve({
  open: async ({
    kubeconfig,
    patienceSeconds,
  }: {
    kubeconfig: string;
    patienceSeconds: number;
  }) => {
    load = await Load.open(kubeconfig, patienceSeconds);
  },
  poolReady: (replicas: number) => load?.poolReady(replicas),
  membersReady: (members: number) => load?.membersReady(members),
  burst: (order: BurstOrder) => load?.burst(order),
});
