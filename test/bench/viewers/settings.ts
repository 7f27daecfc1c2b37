// The arguments of `npm run bench -- inspector`.
import type { Arguments } from '../arguments.ts';

export interface ViewersCommand {
  readonly command: 'inspector';
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
  /** Measures the page alone, or the controller alone. */
  readonly only: 'all' | 'page' | 'controller';
}

type Place = Pick<ViewersCommand, 'nodes' | 'out'>;

export const readViewers = (flags: Arguments, { nodes, out }: Place): ViewersCommand => ({
  command: 'inspector',
  nodes,
  out,
  rows: flags.integer('rows', 10_000, { least: 100, most: 50_000 }),
  replicas: flags.integer('replicas', 500, { least: 1, most: 5000 }),
  viewers: flags.integer('viewers', 20, { least: 1, most: 32 }),
  idleSeconds: flags.integer('idle-seconds', 20, { least: 1, most: 3600 }),
  quietSeconds: flags.integer('quiet-seconds', 3, { least: 1, most: 600 }),
  repeat: flags.integer('repeat', 5, { least: 1, most: 100 }),
  only: flags.choice('only', ['all', 'page', 'controller'], 'all'),
});
