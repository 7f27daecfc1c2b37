// Which functions of a profile cost most, and how a function of a bundle is named.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { BundleSources, costliest, costTable } from './costliest.ts';

const node = (id: number, functionName: string, lineNumber = 0, url = 'file:///b.mjs') => ({
  id,
  callFrame: { functionName, scriptId: '1', url, lineNumber, columnNumber: 0 },
});

const profile = {
  nodes: [node(1, '(idle)', 0, ''), node(2, 'plan'), node(3, 'plan'), node(4, '', 7)],
  startTime: 0,
  endTime: 100_000,
  samples: [1, 2, 3, 4],
  timeDeltas: [60_000, 10_000, 20_000, 10_000],
};

describe('The costliest functions', () => {
  const costs = costliest(profile, (_, line) => `of-line-${line}.ts`);

  test('are by their own time, all their calls together, without what was idle', () => {
    expect(costs).toEqual([
      { name: 'plan of-line-0.ts', ms: 30, share: 0.75 },
      { name: '(anonymous) of-line-7.ts', ms: 10, share: 0.25 },
    ]);
    expect(costTable(costs)).toMatch(/^plan of-line-0\.ts +30 +75\.0$/m);
  });

  test('are as many as wanted', () => {
    expect(costliest(profile, () => '', 1).map(({ name }) => name)).toEqual(['plan']);
  });
});

describe('A line of a bundle', () => {
  test('is of the source above it; other files keep their names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-costs-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'b.mjs');
    const lines = [
      'import "x";',
      '// machines/plan.ts',
      'f',
      '// a comment',
      'g',
      '// src/a.mjs',
      'h',
    ];
    writeFileSync(file, lines.join('\n'));
    const sources = new BundleSources();
    const url = pathToFileURL(file).href;
    const names = [0, 2, 4, 6].map((line) => sources.of(url, line));
    expect(names).toEqual([url, 'machines/plan.ts', 'machines/plan.ts', 'src/a.mjs']);
    expect(sources.of('node:fs', 3)).toBe('node:fs');
  });
});
