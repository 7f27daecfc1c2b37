// All situations in which somebody asks why, in the order of docs/why.md.
import { ofOwners } from './owners.ts';
import { ofPods } from './pods.ts';
import type { Situation } from './situation.ts';
import { ofUpdates } from './updates.ts';

export const situations: Readonly<Record<string, readonly Situation[]>> = {
  'Pods and gangs': ofPods,
  'Sets, scaling groups and gang termination': ofOwners,
  Updates: ofUpdates,
};
