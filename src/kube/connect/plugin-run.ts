// One run of a credential plugin as a process: bounded in time and output, and dead before the
// promise settles, with all that it started. src/kube/connect/credential-plugin.ts starts one at a
// time.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Clock } from '#actors/ports.ts';
import { credentialPluginBytes, credentialPluginTimeoutMs } from '../limits.ts';

export interface PluginCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** Beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
}

/** What it printed. Rejects where it cannot be started, fails, prints too much or hangs. */
export function runPlugin({ command, args, env }: PluginCommand, clock: Clock): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a group of its own, to be killed as a whole
    });
    let problem: Error | undefined;
    const fail = (error: Error): void => {
      problem ??= error;
      kill(child);
    };
    const end = (): void => kill(child);
    process.once('exit', end);
    const cancel = clock.at(clock.now() + credentialPluginTimeoutMs, () =>
      fail(new Error(`it has not answered within ${credentialPluginTimeoutMs / 1000} s`)),
    );
    const outputs = [child.stdout, child.stderr].map((stream) => {
      let text = '';
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.length > credentialPluginBytes) fail(new Error('it printed too much'));
      });
      return () => text;
    });
    child.on('error', fail);
    child.once('close', (code) => {
      cancel();
      process.off('exit', end);
      const [output = '', complaint = ''] = outputs.map((read) => read());
      if (code !== 0) problem ??= new Error(complaint);
      if (problem === undefined) resolve(output);
      else reject(problem);
    });
  });
}

/** A plugin may hand its work to others, which hold its output open. */
function kill({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
