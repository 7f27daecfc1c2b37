// The flags of `npm run bench -- compare` for what traces cost, and what the chart's way to install
// it does. Used by ../command.ts.
import { type Arguments, UsageError } from '../arguments.ts';
import type { Split } from '../workload.ts';

export interface Head {
  /** Undefined: one set has all replicas. */
  readonly split: Split | undefined;
  /** HEAD sends traces of the sampled ones. */
  readonly isTraced: boolean;
  /** HEAD runs as the chart installs it. */
  readonly isInstalled: boolean;
}

/** Throws a UsageError. */
export function readHead(flags: Arguments, isEmbedded: boolean): Head {
  const sets = flags.integer('sets', 1, { least: 1, most: 1000 });
  const isTraced = flags.has('traced');
  const percent = isTraced ? flags.integer('traced', 10, { least: 1, most: 100 }) : 0;
  const sampled = (sets * percent) / 100;
  if (!Number.isInteger(sampled)) {
    throw new UsageError(`--traced ${percent} is no whole number of ${sets} sets; see --sets`);
  }
  const isInstalled = flags.has('as-installed');
  if (isInstalled && (isTraced || isEmbedded)) {
    const what = isTraced ? '--traced' : '--set embedded';
    throw new UsageError(`--as-installed cannot go with ${what}: leave out one`);
  }
  const split = isTraced || sets > 1 ? { sets, sampled } : undefined;
  return { split, isTraced, isInstalled };
}
