// The flags of `npm run bench -- compare` for what traces cost. Used by ../command.ts.
import { type Arguments, UsageError } from '../arguments.ts';
import type { Split } from '../workload.ts';

export interface Traced {
  /** Undefined: one set has all replicas. */
  readonly split: Split | undefined;
  /** HEAD sends traces of the sampled ones. */
  readonly isTraced: boolean;
}

/** Throws a UsageError. */
export function readTraced(flags: Arguments): Traced {
  const sets = flags.integer('sets', 1, { least: 1, most: 1000 });
  const isTraced = flags.has('traced');
  const percent = isTraced ? flags.integer('traced', 10, { least: 1, most: 100 }) : 0;
  const sampled = (sets * percent) / 100;
  if (!Number.isInteger(sampled)) {
    throw new UsageError(`--traced ${percent} is no whole number of ${sets} sets; see --sets`);
  }
  return { split: isTraced || sets > 1 ? { sets, sampled } : undefined, isTraced };
}
