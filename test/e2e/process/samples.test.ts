// Every sample of the chart on the embedded cluster, as `npm start -- --apply` has it: it is told
// of and ready after a while. All at once but for one. On the real control plane they are in
// test/e2e/real/samples.test.ts, one after the other.
import { globSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readManifests } from '#src/dev/apply.ts';
import { root } from '#test/tidy/sources.ts';
import { DevStage } from './dev-stage.ts';

const folder = join(root, 'charts/coppice/samples');
const samples = globSync('*.yaml', { cwd: folder })
  .map((file) => basename(file, '.yaml'))
  .toSorted();
const fileOf = (sample: string): string => join(folder, `${sample}.yaml`);

/** Is applied first, and makes nothing ready by itself. */
const driver = 'compute-domain-driver';
/** Has no pod again some seconds after it was ready. */
const passing = 'scale-to-zero';

/** How `coppice dev` names what it waits for. */
const names: Readonly<Record<string, string>> = {
  PodCliqueSet: '',
  Sandbox: 'Sandbox ',
  SandboxClaim: 'claim ',
  SandboxWarmPool: 'pool ',
  ComputeDomain: 'domain ',
};

const others = samples.filter((name) => name !== driver && name !== passing);

describe.each([
  { title: 'Samples', ready: others },
  { title: 'A sample without pods', ready: [passing] },
])('$title of the chart', ({ ready }) => {
  const stage = new DevStage();
  let said: { code: number | null; errors: readonly string[]; lines: readonly string[] };

  beforeAll(async () => {
    const files = [driver, ...ready].flatMap((name) => ['--apply', fileOf(name)]);
    const flags = ['--no-nats', '--exit-when-ready', '--nodes', '40', ...files];
    const program = stage.dev('all', {}, ...flags);
    const { code } = await program.ended;
    said = { code, errors: program.stderr, lines: program.stdout };
  }, 240_000);
  afterAll(() => stage.end());

  test.each(ready)('is told of and ready after a while: %s', async (name) => {
    const { lines, ...ended } = said;
    expect(ended).toEqual({ code: 0, errors: [] });
    const told = (await readManifests(fileOf(name))).filter(({ kind }) => kind in names);
    expect(told).not.toEqual([]);
    for (const { kind, namespace = 'default', name: object } of told) {
      const start = `  ${names[kind]}${namespace}/${object}: `;
      expect(lines.filter((line) => line.includes(start))).not.toEqual([]);
    }
    expect(lines.at(-1)).toMatch(/^ready after [\d.]+ s$/);
  });
});

test('The samples of the chart are among them', () => {
  expect(samples).toEqual(expect.arrayContaining([driver, passing]));
  expect(others.length).toBeGreaterThan(10);
});
