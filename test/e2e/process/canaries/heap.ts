// What texts a process holds: a snapshot of its heap, taken by preload.ts, searched for canaries.
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Program } from '#test/support/program.ts';
import { type Canary, formsOf } from './planted.ts';

export const preload = new URL('./preload.ts', import.meta.url).href;

/** Places of the canaries that the heap holds in any text, after a garbage collection. */
export async function held(
  program: Program,
  folder: string,
  canaries: readonly Canary[],
): Promise<readonly string[]> {
  const file = join(folder, 'controller.heapsnapshot');
  await program.ask({ ask: 'heap', file });
  const snapshot = readFileSync(file, 'utf8');
  rmSync(file);
  return canaries
    .filter((canary) => formsOf(canary).some((form) => snapshot.includes(form)))
    .map(({ place }) => place);
}
