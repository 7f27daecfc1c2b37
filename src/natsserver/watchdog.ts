// Sees to it that a child does not outlive us, even when we are killed without a chance to act. A
// small shell waits on a pipe that only we hold: its end means that we are gone. Without a shell
// (Windows) the next start on the same data directory stops the orphan (stale.ts).
import { spawn } from 'node:child_process';

/** Politely first; a child that is stuck is killed after five seconds. */
const script = `
read -r word && exit 0
kill -TERM "$1"
for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$1" || exit 0; sleep 0.5; done
kill -KILL "$1"`;

/** The returned function calls the watchdog off, to be used once the child has ended. */
export function guardAgainstOrphan(pid: number): () => void {
  if (process.platform === 'win32') return () => undefined;
  const shell = spawn('/bin/sh', ['-c', script, 'coppice-watchdog', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // not hit by the Ctrl-C that ends us
  });
  // No shell, or a shell that is gone when it is called off: the orphan check at start remains.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return () => {
    shell.stdin.end('done\n');
  };
}
