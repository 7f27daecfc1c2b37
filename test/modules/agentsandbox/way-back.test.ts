// What docs/agent-sandbox.md says of the way back: each name of ours and of the original's that may
// be on an object is told of, and no other.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { annotation, label } from '#machines/agentsandbox/objects/labels.ts';
import { root } from '#test/tidy/sources.ts';

const page = readFileSync(join(root, 'docs/agent-sandbox.md'), 'utf8');
const [, rest = ''] = page.split('\n### The way back\n');
const [wayBack = ''] = rest.split('\n### ');
const names = [...new Set<string>([...Object.values(label), ...Object.values(annotation)])];

it.each(names.toSorted())('The way back says what becomes of %s', (name) => {
  expect(wayBack).toContain(`\`${name}\``);
});

it('The way back names no label and no annotation that is not there', () => {
  const named = [...wayBack.matchAll(/`([a-z0-9.-]+\.[a-z]+\/[a-z-]+)`/g)].map(([, name]) => name);
  expect(named.filter((name) => !names.includes(String(name)))).toEqual([]);
});

it('The page says of each gap of the original what is done here', () => {
  const told = [...page.matchAll(/^\| G(\d+) \| .+ \| .+ \|$/gm)].map(([, number]) =>
    Number(number),
  );
  expect(told).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
});
