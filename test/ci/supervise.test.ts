// Runs real processes that misbehave as tests do: that hang, and that leave something behind.
import { describe, expect, it } from 'vitest';
import { systemRandom } from '#src/time/clock.ts';
import { eventually } from '#test/support/eventually.ts';
import { processesNaming, Programs } from '#test/support/program.ts';
import { supervise } from '../../.ci/supervise.mjs';

const shell = (script: string, limitMs: number) =>
  supervise('/bin/sh', ['-c', script], { limitMs });

/** A duration that no other process has in its command line. */
const long = `1000.${Math.floor(systemRandom.next() * 1e12)}`;

describe('A supervised command', () => {
  it('gives its exit code and the last lines of its stderr', async () => {
    const ended = await shell('echo one >&2; echo two >&2; exit 3', 20_000);
    expect(ended).toEqual({ code: 3, isCut: false, lines: ['one', 'two'] });
  });

  it('sees the settings that it is given', async () => {
    const env = { COPPICE_OF_THIS_TEST: '7' };
    const { code } = await supervise('/bin/sh', ['-c', 'exit $COPPICE_OF_THIS_TEST'], {
      limitMs: 20_000,
      env,
    });
    expect(code).toBe(7);
  });

  it('is ended with its children at the limit', async () => {
    const ended = await shell(`sleep ${long} & sleep ${long}`, 300);
    expect(ended).toMatchObject({ code: 128, isCut: true });
    expect(processesNaming(`sleep ${long}`)).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')('leaves nothing behind that it detached', async () => {
    const ended = await shell(`setsid sleep ${long} >/dev/null 2>&1 &`, 20_000);
    expect(ended).toMatchObject({ code: 0, isCut: false });
    expect(processesNaming(`sleep ${long}`)).toEqual([]);
  });

  it.skipIf(process.platform === 'win32')('does not outlive who supervises it', async () => {
    const module = new URL('../../.ci/supervise.mjs', import.meta.url).href;
    const script = `
      import { supervise } from ${JSON.stringify(module)};
      await supervise('/bin/sh', ['-c', 'sleep ${long} & sleep ${long}'], { limitMs: 60000 });`;
    const programs = new Programs();
    const program = programs.run(process.execPath, ['--input-type=module', '-e', script]);
    const alive = () => processesNaming(`sleep ${long}`).length;
    // The supervisor, the shell and both that sleep.
    await eventually('all there', alive, (count) => count === 4);
    await program.kill();
    await eventually('all ended', alive, (count) => count === 0);
  });

  it('that cannot be run has failed', async () => {
    const ended = await supervise('coppice-no-such-program', [], { limitMs: 20_000 });
    expect(ended).toMatchObject({ code: 127, isCut: false });
  });
});
