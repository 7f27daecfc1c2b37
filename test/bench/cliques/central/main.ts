// The process at the centre: the roll-up or the reference writer, started and asked by the
// benchmark over IPC. forked.ts starts it.
import { serve } from '../process/serve.ts';
import type { CentralWorld } from './central.ts';
import { OwnCentral, type OwnMode } from './own.ts';

let central: OwnCentral | undefined;

serve({
  start: async ({ mode, world }: { readonly mode: OwnMode; readonly world: CentralWorld }) => {
    central = new OwnCentral(mode);
    await central.start(world);
  },
  requests: () => central?.requests(),
});
