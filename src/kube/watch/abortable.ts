// Waiting for something that calls back, and can be told to stop: the reflector's watches, pauses
// and list pages. One place, so that no listener stays behind on a signal that lives for days.

/**
 * Calls `start`, which promises to call `done` at most once and returns how to cancel. Resolves
 * with what it was done with, or with undefined after an abort, which cancels.
 */
export function abortable<T>(
  signal: AbortSignal,
  start: (done: (value: T) => void) => () => void,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve(undefined);
    let cancel = (): void => {};
    const finish = (value: T | undefined): void => {
      signal.removeEventListener('abort', onAbort);
      resolve(value);
    };
    const onAbort = (): void => {
      cancel();
      finish(undefined);
    };
    signal.addEventListener('abort', onAbort);
    cancel = start(finish);
  });
}
