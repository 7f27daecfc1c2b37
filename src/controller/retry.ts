// Questions before the start that a server which does not answer yet is asked again for a while.
// Used by what modules check of the cluster first (src/modules/).
import type { Clock } from '#actors/ports.ts';
import { isRetryable, type ErrorCode } from '#machines/contract/errors.ts';

const patienceMs = 30_000;
const pauseMs = 1_000;

interface Refusal {
  readonly ok: false;
  readonly code: ErrorCode;
  readonly message: string;
}

/** The first answer that is no passing failure, or the last within 30 s. `again` hears of each
 *  failure before the question is repeated. */
export async function retryUntil<A extends { readonly ok: true } | Refusal>(
  clock: Clock,
  ask: () => Promise<A>,
  again: (failure: Refusal) => void,
): Promise<A> {
  const until = clock.now() + patienceMs;
  for (;;) {
    const answer = await ask();
    if (answer.ok || !isRetryable(answer.code) || clock.now() >= until) return answer;
    again(answer);
    await new Promise<void>((resolve) => clock.at(clock.now() + pauseMs, resolve));
  }
}
