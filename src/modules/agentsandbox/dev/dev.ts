// What `coppice dev` applies and shows of warm pools. Loaded by ../edge.ts for that command alone.
import { fileURLToPath } from 'node:url';
import type { DevShow } from '#src/modules/edge.ts';
import { isShown, Scene } from './scene.ts';
import { nextSteps } from './view.ts';

const samples = new URL('../../../../charts/coppice/samples/', import.meta.url);

export const agentSandboxShow: DevShow = {
  sample: fileURLToPath(new URL('warm-pool.yaml', samples)),
  kinds: ['SandboxWarmPool', 'SandboxClaim', 'Sandbox'],
  isAwaited: isShown,
  open: () => new Scene(),
  nextSteps,
};
