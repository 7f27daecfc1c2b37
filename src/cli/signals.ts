// The end of a long-running command: the first SIGINT or SIGTERM asks for a clean stop, a second
// one ends the process at once.

/** Resolves with the name of the first signal. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let asked = false;
    const take = (signal: NodeJS.Signals): void => {
      if (asked) process.exit(signal === 'SIGINT' ? 130 : 143);
      asked = true;
      process.removeListener('disconnect', orphaned);
      process.channel?.unref(); // or it would keep a process alive that has nothing left to do
      resolve(signal);
    };
    // Under IPC a parent that is gone counts as a signal: no orphan stays behind.
    const orphaned = (): void => take('SIGTERM');
    process.on('SIGINT', take);
    process.on('SIGTERM', take);
    process.once('disconnect', orphaned);
  });
}
