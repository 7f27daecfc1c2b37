// Blocks that say their number: the text stays the same program, and each block is told apart.
import { stripTypeScriptTypes } from 'node:module';
import { describe, expect, it } from 'vitest';
import { parse } from '#test/tidy/sources.ts';
import { blockAt, blocksOf, withProbes } from './probes.ts';

const text = `export const twice = (n: number): number => n * 2;
export const box = (n: number) => ({ n });
export function sign(n: number): string {
  if (n < 0) {
    return 'below';
  }
  switch (n) {
    case 0:
      return 'zero';
    default:
      return [n].map((one) => (one > 9 ? 'high' : 'above'))[0] ?? '';
  }
}
`;
const source = parse('machines/snippet.ts', text);

async function load(code: string) {
  const plain = stripTypeScriptTypes(code);
  return (await import(`data:text/javascript,${encodeURIComponent(plain)}`)) as {
    twice: (n: number) => number;
    box: (n: number) => object;
    sign: (n: number) => string;
  };
}

describe('Sources with probes', () => {
  it('do what they did before, and say which blocks are entered', async () => {
    const entered = new Set<number>();
    Object.assign(globalThis, { __entered: (number: number) => entered.add(number) });
    const probed = await load(withProbes(source, 100));
    expect(probed.twice(4)).toBe(8);
    expect(probed.box(1)).toEqual({ n: 1 });
    expect([...entered]).toEqual([100, 101]);
    expect([-1, 0, 1, 10].map(probed.sign)).toEqual(['below', 'zero', 'above', 'high']);
    expect(entered).toEqual(new Set(blocksOf(source).map((_, index) => 100 + index)));
    Object.assign(globalThis, { __entered: undefined });
    expect(probed.twice(4)).toBe(8);
  });

  it('belong to the innermost block that holds all of a place', () => {
    const blocks = blocksOf(source);
    const at = (part: string): number => {
      const start = text.indexOf(part);
      return blockAt(blocks, { start, end: start + part.length });
    };
    const inner = blocks[at("return 'below'")];
    expect(inner && text.slice(inner.start, inner.end)).toContain("return 'below'");
    expect(at('n < 0')).toBe(2);
    expect(at('one > 9')).toBeGreaterThan(at("return 'zero'"));
    expect(at('export const twice')).toBe(-1);
  });
});
