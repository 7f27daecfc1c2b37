// docs/guarantees.md as data: each sentence with the test that demonstrates it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source-copy.ts';

export interface Guarantee {
  readonly sentence: string;
  /** From the root; undefined where a sentence names no test. */
  readonly file: string | undefined;
  /** As in the source of the test. */
  readonly title: string | undefined;
}

export function readGuarantees(): readonly Guarantee[] {
  return readFileSync(join(root, 'docs/guarantees.md'), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('- '))
    .map((line) => {
      const [sentence = '', proof] = line.slice(2).split(' — ');
      const [, file, title] = /^`([^`]+)`: (.+)$/.exec(proof ?? '') ?? [];
      return { sentence, file, title };
    });
}
