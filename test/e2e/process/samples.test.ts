// Every sample of the chart on the embedded cluster, as `npm start -- --apply` has it: it is ready
// after a while. On the real control plane they are in test/e2e/real/samples.test.ts.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { root } from '#test/tidy/sources.ts';
import { DevStage } from './dev-stage.ts';

const stage = new DevStage();
afterAll(() => stage.end());

const folder = join(root, 'charts/coppice/samples');
const samples = globSync('*.yaml', { cwd: folder })
  .map((file) => basename(file, '.yaml'))
  .toSorted();

/** What is applied before a sample, and makes nothing ready by itself. */
const before: Readonly<Record<string, readonly string[]>> = {
  'compute-domain': ['compute-domain-driver'],
};
const beginnings = new Set(Object.values(before).flat());
const nodes = ['--nodes', '18'];

describe('A sample of the chart', () => {
  const ready = samples.filter((name) => !beginnings.has(name));

  test.each(ready)('is ready after a while: %s', { timeout: 240_000 }, async (name) => {
    const files = [...(before[name] ?? []), name].flatMap((one) => [
      '--apply',
      join(folder, `${one}.yaml`),
    ]);
    const program = stage.dev(name, {}, '--no-nats', '--exit-when-ready', ...nodes, ...files);
    const { code } = await program.ended;
    expect([code, program.stderr]).toEqual([0, []]);
    expect(program.stdout.join('\n')).toMatch(/^ready after [\d.]+ s$/m);
  });

  test('is among those that are applied', () => {
    expect(ready.length).toBeGreaterThan(10);
    expect([...beginnings].filter((name) => !samples.includes(name))).toEqual([]);
  });
});
