// What `coppice dev` applies and shows of Grove. Loaded by ../edge.ts for that command alone.
import { fileURLToPath } from 'node:url';
import type { DevShow } from '#src/modules/edge.ts';
import { Scene } from './scene.ts';
import { nextSteps } from './view.ts';

export const groveShow: DevShow = {
  sample: fileURLToPath(new URL('./demo.yaml', import.meta.url)),
  kinds: ['PodCliqueSet', 'PodClique', 'PodCliqueScalingGroup', 'PodGang', 'Pod'],
  isAwaited: (kind) => kind === 'PodCliqueSet',
  open: () => new Scene(),
  nextSteps,
};
