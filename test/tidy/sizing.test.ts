// docs/sizing.md has no figures of its own: each is one of docs/benchmarks.md, and what the chart
// asks for is more than was measured.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { at, text } from '#machines/kubernetes/json.ts';
import { root } from './sources.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const rows = read('docs/sizing.md')
  .split('\n')
  .filter((line) => /^\| (?:deploy|rolling|a )/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()));
const figures = rows.flatMap((cells) => cells.slice(2).filter((cell) => cell !== ''));

describe('The page of sizing', () => {
  it.each(figures)('has %s from the benchmarks', (figure) => {
    expect(read('docs/benchmarks.md')).toContain(`| ${figure} |`);
  });

  it('goes with what the chart asks for', () => {
    const values: unknown = parse(read('charts/coppice/values.yaml'));
    const asked = text(at(values, 'resources', 'requests', 'memory'));
    const peaks = rows.flatMap((cells) => [...(cells[3] ?? '').matchAll(/\d+/g)].map(Number));
    expect(asked).toBe('256Mi');
    expect(Math.max(...peaks)).toBeGreaterThan(100);
    expect(Math.max(...peaks)).toBeLessThan(256);
  });
});
