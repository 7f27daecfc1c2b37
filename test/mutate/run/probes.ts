// Which blocks of the sources a test enters: in a copy of the sources each block first says its
// number, and test/setup.ts there writes down what it heard during each file of tests. Blocks and
// not lines, since what is in a block runs as a whole, but for an early return.
import { Visitor } from 'rolldown/utils';
import type { Source } from '#test/tidy/sources.ts';

interface Block {
  readonly start: number;
  readonly end: number;
  /** What the number is wrapped in. */
  readonly kind: 'block' | 'expression' | 'case';
}

/** Bodies of functions, blocks and cases, in the order of the text. */
export function blocksOf({ ast }: Source): readonly Block[] {
  const blocks: Block[] = [];
  new Visitor({
    BlockStatement: ({ start, end }) => blocks.push({ start, end, kind: 'block' }),
    ArrowFunctionExpression: ({ body: { type, start, end } }) => {
      if (type !== 'BlockStatement') blocks.push({ start, end, kind: 'expression' });
    },
    SwitchCase: ({ consequent: [first], end }) => {
      if (first !== undefined) blocks.push({ start: first.start, end, kind: 'case' });
    },
  }).visit(ast.program);
  return blocks.toSorted((a, b) => a.start - b.start || b.end - a.end);
}

/** The number of the innermost block with all of it; -1: it is in none, and runs on import. */
export const blockAt = (
  blocks: readonly Block[],
  { start, end }: { readonly start: number; readonly end: number },
): number => blocks.findLastIndex((block) => block.start <= start && end <= block.end);

/** The text with a call at the start of each block; `first`: the number of its first one. */
export function withProbes(source: Source, first: number): string {
  const inserts = blocksOf(source).flatMap(({ start, end, kind }, index) => {
    const call = `globalThis.__entered?.(${first + index})`;
    if (kind === 'expression') {
      return [
        { at: start, text: `(${call}, ` },
        { at: end, text: ')' },
      ];
    }
    return [{ at: kind === 'block' ? start + 1 : start, text: ` ${call}; ` }];
  });
  let text = '';
  let from = 0;
  // At one place, what ends comes before what begins: an outer end after an inner one.
  for (const { at, text: inserted } of inserts.toSorted((a, b) => a.at - b.at)) {
    text += source.text.slice(from, at) + inserted;
    from = at;
  }
  return text + source.text.slice(from);
}

/** What test/setup.ts of the copy does besides: it runs anew before each file of tests. What is
 *  entered while modules load is told apart, since they load once for all files of a process. */
export const setupWithProbes = (folder: string): string => `
import { afterAll, beforeAll } from 'vitest';
import { writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
const loading = new Set();
const running = new Set();
let entered = loading;
globalThis.__entered = (number) => entered.add(number);
beforeAll(() => { entered = running; });
afterAll(({}, { filepath }) => {
  const name = createHash('sha1').update(filepath).digest('hex');
  const heard = { filepath, loading: [...loading], running: [...running] };
  writeFileSync(${JSON.stringify(folder)} + '/' + name + '.json', JSON.stringify(heard));
});
`;
