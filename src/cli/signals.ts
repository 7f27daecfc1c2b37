// The end of a long-running command: the first SIGINT, SIGTERM or SIGHUP asks for a clean stop, a
// second one ends the process at once. Where nobody reads the output any more it stops too.
import { constants } from 'node:os';

let asked = false;
/** Of the command that runs; undefined: it stops for no signal in a way of its own. */
let stop: ((signal: NodeJS.Signals) => void) | undefined;

/** Resolves with the name of the first signal. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    stop = resolve;
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

/** Whoever read our output is gone (`coppice dev | head`): end as if asked to, not by a crash. Who
 *  asks then asks for the first time. */
export function stopWhenUnread(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', () => {
      if (stop === undefined) process.kill(process.pid, 'SIGTERM');
      else stop('SIGTERM');
    });
  }
}
