// The front door of machines/: every module, without its settings. The runtime imports from here
// and from the contracts beside it, nothing deeper; who binds the settings is src/modules/.
import { grove } from './grove/module.ts';
import type { Module } from './module.ts';

export const modules: readonly Module<never>[] = [grove];
