// The arguments of `npm run bench -- activator-proxy`.
import { type Arguments, choice } from '../arguments.ts';
import { contenderNames } from './contenders/names.ts';

export const loadNames = ['closed', 'open'] as const;

export interface ProxyCommand {
  readonly command: 'activator-proxy';
  /** Contenders. */
  readonly only: readonly string[];
  readonly loads: readonly string[];
  /** Of every contender, in turns. */
  readonly rounds: number;
  /** Of load for each contender in each round. */
  readonly seconds: number;
  /** Of load for each contender before the first round. */
  readonly warmUpSeconds: number;
  /** Open connections of the closed loop. */
  readonly connections: number;
  /** Requests a second of the open loop. */
  readonly rate: number;
  /** How long a backend of the open loop takes. */
  readonly workMs: number;
  /** Of a body. */
  readonly bytes: number;
  /** Folder for a CPU profile of each contender of Node; absent: none. */
  readonly profile: string | undefined;
}

export const readProxy = (flags: Arguments): ProxyCommand => ({
  command: 'activator-proxy',
  only: flags.list('only', contenderNames).map((name) => choice('only', name, contenderNames)),
  loads: flags.list('loads', loadNames).map((name) => choice('loads', name, loadNames)),
  rounds: flags.integer('rounds', 5, { least: 1, most: 100 }),
  seconds: flags.integer('seconds', 4, { least: 1, most: 600 }),
  warmUpSeconds: flags.integer('warm-up-seconds', 3, { least: 0, most: 600 }),
  connections: flags.integer('connections', 64, { least: 1, most: 4096 }),
  rate: flags.integer('rate', 1000, { least: 1, most: 20_000 }),
  workMs: flags.integer('work-ms', 100, { least: 0, most: 10_000 }),
  bytes: flags.integer('bytes', 1024, { least: 0, most: 1_048_576 }),
  profile: flags.text('profile'),
});
