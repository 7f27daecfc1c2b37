// A program that the launcher runs ends as if it were the launcher: exit code and signals.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';

/** A launcher that runs a program of the test and takes over its exit code. */
function launch(program: string) {
  const script = `
    import { runInForeground } from ${JSON.stringify(import.meta.resolve('#src/launch/run.mjs'))};
    process.exitCode = await runInForeground(process.execPath, ['-e', ${JSON.stringify(program)}]);`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

describe('runInForeground', () => {
  it('takes over the exit code', async () => {
    const [code] = await once(launch('process.exit(7)'), 'exit');
    expect(code).toBe(7);
  });

  it('turns an end by signal into 128 and its number, as shells do', async () => {
    const [code] = await once(launch("process.kill(process.pid, 'SIGKILL')"), 'exit');
    expect(code).toBe(137);
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('passes %s on and waits', async (signal) => {
    const launcher = launch(
      `process.on('${signal}', () => process.exit(9)); setInterval(() => {}, 1000); console.log('up')`,
    );
    await once(launcher.stdout, 'data');
    launcher.kill(signal);
    const [code] = await once(launcher, 'exit');
    expect(code).toBe(9);
  });
});
