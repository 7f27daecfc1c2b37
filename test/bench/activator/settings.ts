// The arguments of `npm run bench -- activator-micro`.
import { type Arguments, choice } from '../arguments.ts';
import { parts } from './cells/all.ts';

export interface ActivatorMicroCommand {
  readonly command: 'activator-micro';
  /** Parts of the benchmark. */
  readonly only: readonly string[];
  /** Of every cell, in turns. */
  readonly runs: number;
  /** Milliseconds for each of the steps of a cell. */
  readonly ms: number;
}

export const readActivatorMicro = (flags: Arguments): ActivatorMicroCommand => ({
  command: 'activator-micro',
  only: flags.list('only', parts).map((part) => choice('only', part, parts)),
  runs: flags.integer('runs', 5, { least: 1, most: 100 }),
  ms: flags.integer('ms', 200, { least: 1, most: 10_000 }),
});
