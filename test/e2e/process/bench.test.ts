// `npm run bench` on the embedded cluster, small: that it measures every step, prints one JSON
//   line,
// compares commits, refuses wrong flags with a sentence and leaves nothing behind.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { at, list } from '#machines/kubernetes/json.ts';
import type { Timeline } from '#test/bench/timeline.ts';
import { natsSkip } from '#test/support/nats.ts';
import { processesNaming, type Program, Programs } from '#test/support/program.ts';

const main = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));
const programs = new Programs();
afterAll(() => programs.end());

const bench = (...args: readonly string[]): Program =>
  programs.run(process.execPath, [main, ...args]);
const runs = mkdtempSync(join(tmpdir(), 'coppice-runs-'));
afterAll(() => rmSync(runs, { recursive: true }));
const small = [
  ...['--replicas', '6', '--nodes', '5', '--idle-seconds', '0', '--quiet-seconds', '1'],
  ...['--out', runs],
];
/** In the command lines of all that a run starts. */
const mark = join(tmpdir(), 'coppice-bench-');
const patient = { timeout: 120_000 };

const lifeOfASet = [
  ...['deploy', 'steady', 'idle', 'touch', 'restart', 'scale_down', 'scale_up', 'scale_to_zero'],
  ...['zero_to_few', 'few_to_zero', 'scale_from_zero', 'gone'],
];

/** What the runs left, the oldest first. */
const timelines = (): readonly Timeline[] =>
  globSync(join(runs, '*', '*', 'timeline.json'))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')) as Timeline)
    .toSorted((a, b) => (a.date < b.date ? -1 : 1));

const timed = [
  'created_s',
  'initialized_s',
  'ready_s',
  'available_s',
  'restart_ready_s',
  'scale_down_s',
  'scale_up_s',
  'scale_to_zero_s',
  'zero_to_few_created_s',
  'zero_to_few_ready_s',
  'few_to_zero_s',
  'scale_from_zero_ready_s',
  'set_gone_s',
  'gone_s',
  'floor_created_s',
  'floor_ready_s',
  'floor_gone_s',
  'created_ratio',
  'ready_ratio',
  'gone_ratio',
];

describe(`The benchmark on the embedded cluster${natsSkip}`, () => {
  test.skipIf(natsSkip !== '')('measures every step and profiles each phase', patient, async () => {
    const flags = ['--with-floor', '--profile', '--steady-seconds', '1', ...small];
    const program = bench('scale', ...flags);
    expect(await program.ended).toMatchObject({ code: 0 });
    expect(program.stdout).toHaveLength(1);
    const result: unknown = JSON.parse(program.stdout[0] ?? '');
    for (const key of timed) expect([key, at(result, key)]).toEqual([key, expect.any(Number)]);
    expect(result).toMatchObject({
      cluster: 'embedded',
      limits: 'S2',
      repeat: 1,
      replicas: 6,
      pods_ever_created: 12,
      conflicts: 0,
      writes_idle: 0,
      // The token Secret is asked for by its create, after a touch again a second later.
      writes_touch: expect.toBeOneOf([1, 2]),
      writes_restart: 1,
      floor_writes: 48,
      floor_writes_gone: 36,
      requests: { 'create pods 201': 12 },
    });
    const phases = timelines().map(({ phases: some }) => some.map(({ phase }) => phase));
    expect(phases).toEqual([['floor', 'floor_gone'], lifeOfASet]);
    const [, folder = ''] = await program.line(/^timeline: (.+-scale)$/);
    for (const phase of ['deploy', 'steady', 'gone']) {
      const cpu: unknown = JSON.parse(readFileSync(join(folder, `${phase}.cpuprofile`), 'utf8'));
      expect(list(at(cpu, 'samples')).length).toBeGreaterThan(10);
      expect(existsSync(join(folder, `${phase}.heapprofile`))).toBe(true);
    }
    const costs = readFileSync(join(folder, 'costliest.txt'), 'utf8').split(/\n\n|\n(?=\w+: the )/);
    const deploy = costs.find((one) => one.startsWith('deploy: ')) ?? '';
    expect(deploy.trim().split('\n')).toHaveLength(12);
    // Named by its source, not by the bundle.
    expect(deploy).toMatch(/ (?:node_modules|machines|actors|bus|src)\/\S+ /);
    expect(deploy).not.toContain('coppice-bench-bundle');
  });

  test.skipIf(natsSkip !== '')('churns, and says what the controller holds', patient, async () => {
    const place = ['--cluster', 'embedded', '--replicas', '4', '--nodes', '3', '--out', runs];
    const program = bench('churn', '--cycles', '6', ...place);
    expect(await program.ended).toMatchObject({ code: 0 });
    const result: unknown = JSON.parse(program.stdout[0] ?? '');
    for (const figure of ['scale_status_s', 'delete_gone_above_floor_s', 'heap_mb', 'sockets']) {
      const key = `${figure}_last`;
      expect([key, at(result, key)]).toEqual([key, expect.any(Number)]);
    }
    // The set, two PodCliques, two PodGangs.
    expect(result).toMatchObject({ cycles: 6, actors_first: 5, actors_last: 5, growing: '' });
  });

  test.skipIf(natsSkip !== '')('leaves evidence where a run fails', patient, async () => {
    // Nobody creates so many pods within a second.
    const flags = ['--replicas', '3000', '--nodes', '3', '--patience-seconds', '1', '--out', runs];
    const program = bench('scale', ...flags);
    expect(await program.ended).toMatchObject({ code: 1 });
    const [, folder = ''] = await program.line(/^evidence of the failure: (.+)$/);
    expect(existsSync(join(folder, 'why.json'))).toBe(true);
    const error = expect.stringContaining('did not come to be');
    expect(timelines().at(-1)).toMatchObject({ error, phases: [] });
  });

  test.skipIf(natsSkip !== '')('takes everything down at a signal', patient, async () => {
    const program = bench('scale', ...small);
    await program.line(/^deploy: created_s/);
    const children = processesNaming(mark);
    expect(children).not.toEqual([]);
    program.signal('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 1 });
    const left = processesNaming(mark).filter((one) => children.includes(one));
    expect(left).toEqual([]);
  });
});

describe(`The comparison of commits${natsSkip}`, () => {
  const few = [
    ...['--set', 'embedded', '--replicas', '4', '--nodes', '3', '--quiet-seconds', '1'],
    ...['--out', runs],
  ];

  test.skipIf(natsSkip !== '')('measures both and says the ratios', patient, async () => {
    // So few replicas are noise.
    const program = bench('compare', 'HEAD', '.', '--pairs', '1', '--limit', '1000', ...few);
    expect(await program.ended).toMatchObject({ code: 0 });
    const result: unknown = JSON.parse(program.stdout[0] ?? '');
    const commit = expect.stringMatching(/^[0-9a-f]{40}\+?$/);
    expect(result).toMatchObject({ base: commit, head: commit, pairs: 1, worse: [] });
    const figures = list(at(result, 'figures'));
    expect(figures).toContainEqual(expect.objectContaining({ figure: 'created_s' }));
    expect(figures).toContainEqual(expect.objectContaining({ figure: 'writes', ratio: 1 }));
  });

  test('refuses what is no commit', patient, async () => {
    const program = bench('compare', 'no-such-branch', '.', ...few);
    expect(await program.ended).toMatchObject({ code: 1 });
    expect(program.stderr.join()).toContain('"no-such-branch" is no commit of this repository');
  });
});

test('A wrong flag ends the benchmark with 2 and one sentence', patient, async () => {
  const program = bench('scale', '--replica', '5');
  expect(await program.ended).toMatchObject({ code: 2 });
  expect(program.stderr).toEqual([
    'bench: scale has no flag "--replica"; did you mean "replicas"?; see --help',
  ]);
});
