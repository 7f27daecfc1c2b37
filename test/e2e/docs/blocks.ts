// The shell blocks of a page, in their order: what a reader pastes, and what pages.test.ts runs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#test/tidy/sources.ts';

export interface Block {
  /** Of the first line of the block in the page. */
  readonly line: number;
  readonly text: string;
}

/** Fences of the language `sh`. */
export function shellBlocks(page: string): readonly Block[] {
  const text = readFileSync(join(root, page), 'utf8');
  return Array.from(text.matchAll(/^```sh\n([\s\S]*?)^```$/gm), (match) => ({
    line: text.slice(0, match.index).split('\n').length + 1,
    text: match[1] ?? '',
  }));
}
