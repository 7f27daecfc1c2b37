// The kinds of runs, by the flag that asks for them: what their worlds have besides the plain one.
// Used by main.ts and by the tests of seeds.
import type { SimulationOptions } from './run.ts';

export const kinds = {
  plain: {},
  groups: { hasGroups: true },
  topology: { hasGroups: true, hasTopology: true },
  domains: { hasGroups: true, hasDomains: true },
  sharing: { hasGroups: true, hasSharing: true },
  kai: { hasGroups: true, hasKai: true },
  updates: { hasGroups: true, hasUpdates: true },
  losses: { hasGroups: true, hasUpdates: true, hasLosses: true },
  restored: { hasRestore: true },
} as const satisfies Record<string, SimulationOptions>;

export type Kind = keyof typeof kinds;
