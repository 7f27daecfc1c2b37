// The arguments of `npm run bench -- inspector`.
import type { Arguments } from '../arguments.ts';

export interface ViewersCommand {
  readonly command: 'inspector';
  /** Of the deploy. */
  readonly cluster: 'embedded' | 'real';
  readonly nodes: number;
  readonly out: string | undefined;
  /** Rows of the page. */
  readonly rows: number;
  /** Of the deploy that is watched, of two pods each. */
  readonly replicas: number;
  readonly viewers: number;
  readonly idleSeconds: number;
  readonly quietSeconds: number;
  readonly repeat: number;
  /** Frames of a scroll, and changes whose way to the screen is timed. */
  readonly frames: number;
  readonly changes: number;
  /** Measures the page alone, or the controller alone. */
  readonly only: 'all' | 'page' | 'controller';
}

export const usualViewers = {
  rows: 10_000,
  replicas: 500,
  viewers: 20,
  idleSeconds: 20,
  quietSeconds: 3,
  repeat: 5,
  frames: 240,
  changes: 60,
} as const;

type Place = Pick<ViewersCommand, 'cluster' | 'nodes' | 'out'>;

export const readViewers = (flags: Arguments, { cluster, nodes, out }: Place): ViewersCommand => ({
  command: 'inspector',
  cluster,
  nodes,
  out,
  rows: flags.integer('rows', usualViewers.rows, { least: 100, most: 50_000 }),
  replicas: flags.integer('replicas', usualViewers.replicas, { least: 1, most: 5000 }),
  viewers: flags.integer('viewers', usualViewers.viewers, { least: 1, most: 32 }),
  idleSeconds: flags.integer('idle-seconds', usualViewers.idleSeconds, { least: 1, most: 3600 }),
  quietSeconds: flags.integer('quiet-seconds', usualViewers.quietSeconds, { least: 1, most: 600 }),
  repeat: flags.integer('repeat', usualViewers.repeat, { least: 1, most: 100 }),
  frames: usualViewers.frames,
  changes: usualViewers.changes,
  only: flags.choice('only', ['all', 'page', 'controller'], 'all'),
});
