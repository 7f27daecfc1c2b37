// How much memory is in use when all garbage is gone, for tests that say how much something takes.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: (how?: object) => void = runInNewContext('gc');

/** Heap and typed arrays. */
export function usedBytes(): number {
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** What V8 does many times a second: whatever old garbage still holds stays. */
export const collectYoung = (): void => collect({ type: 'minor', execution: 'sync' });
