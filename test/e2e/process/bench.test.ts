// `npm run bench` on the embedded cluster, small: that it measures every step, prints one JSON
//   line,
// refuses wrong flags with a sentence and leaves nothing behind.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { at } from '#machines/json.ts';
import { natsSkip } from '#test/support/nats.ts';
import { processesNaming, type Program, Programs } from '#test/support/program.ts';

const main = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));
const programs = new Programs();
afterAll(() => programs.end());

const bench = (...args: readonly string[]): Program =>
  programs.run(process.execPath, [main, ...args]);
const small = ['--replicas', '6', '--nodes', '5', '--idle-seconds', '0', '--quiet-seconds', '1'];
/** In the command lines of all that a run starts. */
const mark = join(tmpdir(), 'coppice-bench-');
const patient = { timeout: 120_000 };

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
  test.skipIf(natsSkip !== '')('has every step, count and ratio in one line', patient, async () => {
    const program = bench('scale', '--with-floor', ...small);
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
      writes_touch: 0,
      writes_restart: 0,
      floor_writes: 42,
      floor_writes_gone: 36,
      requests: { 'create pods 201': 12 },
    });
  });

  test.skipIf(natsSkip !== '')('takes everything down at a signal', patient, async () => {
    const program = bench('scale', ...small);
    await program.line(/^created_s/);
    const children = processesNaming(mark);
    expect(children).not.toEqual([]);
    program.signal('SIGTERM');
    expect(await program.ended).toMatchObject({ code: 1 });
    const left = processesNaming(mark).filter((one) => children.includes(one));
    expect(left).toEqual([]);
  });
});

test('A wrong flag ends the benchmark with 2 and one sentence', patient, async () => {
  const program = bench('scale', '--replica', '5');
  expect(await program.ended).toMatchObject({ code: 2 });
  expect(program.stderr).toEqual([
    'bench: scale has no flag "--replica"; did you mean "replicas"?; see --help',
  ]);
});
