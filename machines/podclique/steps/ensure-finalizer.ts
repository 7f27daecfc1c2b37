// Our finalizer is on while the PodClique lives, so that its actor sees its deletion.
import { keepFinalizer } from '../../grove/finalizer.ts';
import type { Step } from '../context.ts';

export const ensureFinalizer: Step = (_, clique) => ({
  intents: keepFinalizer(clique),
  changes: {},
});
