// The front door of machines/: every module, without its settings. The runtime imports from here
// and from the contracts beside it, nothing deeper; who binds the settings is src/modules/.
import type { Module } from './contract/module.ts';
import { grove } from './grove/module.ts';
import { agentsandbox } from './agentsandbox/module.ts';
import { nvidia } from './nvidia/module.ts';

export const modules: readonly Module<never>[] = [grove, nvidia, agentsandbox];
