// What the embedded cluster does for Grove: places PodGangs together and keeps the order in which
// their pods start. The module's edge (src/modules/grove) hands it to whoever creates a cluster.
import type { ClusterPlugin } from '../contract.ts';
import { podGangs } from './gangs.ts';
import { startOrder } from './start-order.ts';

export const grovePlugin: ClusterPlugin = { gangs: podGangs, initProgram: startOrder };
