// Waits for what another process brings about: asks again until the answer is as wanted. For tests
// of real processes only, where nothing tells when it is time; everything else has a virtual clock.
import { setTimeout as pause } from 'node:timers/promises';

const pollMs = 50;

/** For `vi.waitFor`, which gives up after a second: too soon where a machine does much else. */
export const patient = { timeout: 30_000 };

/** Resolves with the first answer that passes; throws with the last one after the limit. */
export async function eventually<T>(
  what: string,
  ask: () => T | Promise<T>,
  isWanted: (answer: T) => boolean,
  limitMs = 30_000,
): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (performance.now() > end) {
      throw new Error(`not ${what} after ${limitMs} ms: ${JSON.stringify(answer)?.slice(0, 2000)}`);
    }
    await pause(pollMs);
  }
}
