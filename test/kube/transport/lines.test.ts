// Lines out of bytes, however these are cut.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LineSplitter } from '#src/kube/transport/lines.ts';
import { anyText } from '#test/support/text.ts';

const split = (
  chunks: readonly Buffer[],
  maxBytes = 1_000_000,
): { lines: string[]; isInLine: boolean } => {
  const splitter = new LineSplitter(maxBytes);
  const lines: string[] = [];
  for (const chunk of chunks) splitter.push(chunk, (line) => lines.push(line));
  return { lines, isInLine: splitter.isInLine };
};

test('any text comes out as its lines, however the bytes are cut', () => {
  const anyLine = anyText({ minLength: 1 }).filter((text) => !text.includes('\n'));
  fc.assert(
    fc.property(fc.array(anyLine), fc.array(fc.nat(50)), (lines, cuts) => {
      let rest = Buffer.from(lines.map((line) => `${line}\n`).join(''), 'utf8');
      const chunks: Buffer[] = [];
      for (const cut of cuts) {
        chunks.push(rest.subarray(0, cut));
        rest = rest.subarray(cut);
      }
      expect(split([...chunks, rest])).toEqual({ lines, isInLine: false });
    }),
  );
});

test('empty lines are dropped and a line without end is told', () => {
  expect(split([Buffer.from('\n\na\n\nb')])).toEqual({ lines: ['a'], isInLine: true });
});

test.each([
  ['in one chunk', ['123456\n']],
  ['in many chunks', ['123', '456', '\n']],
  ['that never ends', ['123', '456']],
])('a line over the limit throws: %s', (_what, chunks) => {
  expect(() =>
    split(
      chunks.map((chunk) => Buffer.from(chunk)),
      5,
    ),
  ).toThrow(RangeError);
});

test('a line of exactly the limit passes', () => {
  expect(split([Buffer.from('12345\n')], 5).lines).toEqual(['12345']);
});
