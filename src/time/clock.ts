// The real clock, randomness and ids: the only place where the process reads them. Handed to
// everything else as ports, so that tests can put a virtual clock and a seed in their place.
import { randomBytes } from 'node:crypto';
import type { Clock, Ids, Random } from '#actors/ports.ts';

/** The longest delay that Node's timers take; longer ones are slept in pieces. */
const longestDelayMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  at(at, run) {
    let timer: NodeJS.Timeout;
    const sleep = (): void => {
      const left = at - Date.now();
      timer = setTimeout(
        left > longestDelayMs ? sleep : run,
        Math.min(Math.max(left, 0), longestDelayMs),
      );
    };
    sleep();
    return () => clearTimeout(timer);
  },
  soon(run) {
    setImmediate(run);
  },
  steady: () => performance.now(),
};

export const systemRandom: Random = { next: () => Math.random() };

/** Short ids: a random prefix for the process and a counter, both in base 36. */
export function systemIds(): Ids {
  const prefix = randomBytes(5).readUIntBE(0, 5).toString(36);
  let count = 0;
  return { next: () => `${prefix}-${(count++).toString(36)}` };
}
