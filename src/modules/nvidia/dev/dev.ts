// What `coppice dev` applies and shows of ComputeDomains. Loaded by ../edge.ts for that command
// alone.
import { fileURLToPath } from 'node:url';
import type { DevShow } from '#src/modules/edge.ts';
import { Scene } from './scene.ts';
import { nextSteps } from './view.ts';

const samples = new URL('../../../../charts/coppice/samples/', import.meta.url);

export const nvidiaShow: DevShow = {
  sample: fileURLToPath(new URL('compute-domain.yaml', samples)),
  kinds: ['ComputeDomain', 'ComputeDomainClique'],
  isAwaited: (kind) => kind === 'ComputeDomain',
  open: () => new Scene(),
  nextSteps,
};
