// The front door of machines/: every module. The runtime imports from here and from the contracts
// beside it, nothing deeper.
import { grove } from './grove/module.ts';
import type { Module } from './module.ts';

export const modules: readonly Module[] = [grove];
