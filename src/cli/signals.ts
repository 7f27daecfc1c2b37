// The end of a long-running command: the first SIGINT, SIGTERM or SIGHUP asks for a clean stop, a
// second one ends the process at once. Output that nobody reads any more counts as the first.
import { constants } from 'node:os';

let asked = false;

/** Resolves with the name of the first signal. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const take = (signal: NodeJS.Signals): void => {
      if (asked) process.exit(128 + constants.signals[signal]);
      asked = true;
      process.removeListener('disconnect', orphaned);
      resolve(signal);
    };
    // Under IPC a parent that is gone counts as a signal: no orphan stays behind.
    const orphaned = (): void => take('SIGTERM');
    process.on('SIGINT', take);
    process.on('SIGTERM', take);
    process.on('SIGHUP', take); // the terminal is gone
    process.once('disconnect', orphaned);
    process.channel?.unref(); // or it would keep a process alive that has nothing left to do
  });
}

/** Whoever read our output is gone (`coppice dev | head`): end as if asked to, not by a crash. */
export function stopWhenUnread(): void {
  let isCut = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      // Not a second time: that would cut short the stop that is under way.
      if (!isCut && !asked) process.kill(process.pid, 'SIGTERM');
      isCut = true;
    });
  }
}
