// The process of the floor, asked by the benchmark over IPC. players.ts starts it.
import { serve } from '../../cliques/process/serve.ts';
import { ClaimFloor, type FloorOrder } from './floor.ts';

let floor: ClaimFloor | undefined;

serve({
  open: async (order: FloorOrder) => {
    floor = await ClaimFloor.open(order);
  },
  fill: (count: number) => floor?.fill(count),
  broken: () => floor?.broken(),
  requests: () => floor?.requests,
});
