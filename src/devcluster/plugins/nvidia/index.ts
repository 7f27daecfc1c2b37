// What the embedded cluster does for NVIDIA's ComputeDomains in the place of the agents of the DRA
// driver: the kubelet plugin, which labels a node when a workload on it gets a channel, and the
// daemons, which say in which clique they are. The module's edge (src/modules/nvidia) hands it to
// whoever creates a cluster.
import type { ClusterPlugin } from '../contract.ts';
import { Channels } from './channels.ts';
import { Daemons } from './daemons.ts';

export const nvidiaPlugin: ClusterPlugin = {
  agents: [(context) => new Channels(context), (context) => new Daemons(context)],
};
