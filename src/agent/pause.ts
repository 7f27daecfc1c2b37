// Pauses between attempts, as NVIDIA's daemon has them (spec compute-domain 3.3): they double from
// 5 ms to 6 s and are spread by a quarter to both sides.
import type { Clock, Random } from '#actors/ports.ts';
import { backoff } from '#machines/contract/backoff.ts';
import { abortable } from '#src/kube/watch/abortable.ts';

const first = 5;
const most = 6_000;

export const pauseMs = (attempt: number, random: Random): number =>
  backoff(attempt, first, most) * (0.75 + random.next() / 2);

/** Resolves after the pause, or when the signal is given, whichever is first. */
export const pause = (clock: Clock, ms: number, signal: AbortSignal): Promise<void> =>
  abortable<void>(signal, (done) => clock.at(clock.now() + ms, done));
