// The arguments of `npm run bench -- activator-cores`.
import type { Arguments } from '../arguments.ts';

export interface CoresCommand {
  readonly command: 'activator-cores';
  /** Of each timed cell, medians of which count. */
  readonly runs: number;
  /** Milliseconds of a timed cell. */
  readonly ms: number;
  /** Requests of each simulated queue. */
  readonly requests: number;
}

export const readCores = (flags: Arguments): CoresCommand => ({
  command: 'activator-cores',
  runs: flags.integer('runs', 5, { least: 1, most: 100 }),
  ms: flags.integer('ms', 500, { least: 1, most: 10_000 }),
  requests: flags.integer('requests', 200_000, { least: 1000, most: 10_000_000 }),
});
