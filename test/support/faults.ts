// What may go wrong with a request to the cluster in memory, and how that is answered.
import type { Clock, WriteOutcome } from '#actors/ports.ts';
import type { ErrorCode } from '#machines/contract/errors.ts';

export type Fault =
  /** Refused before anything happened. */
  | { readonly type: 'refuse'; readonly code: ErrorCode; readonly retryAfterMs?: number }
  /** Done, but the reply is lost. */
  | { readonly type: 'lose' }
  /** Answered only after so long. */
  | { readonly type: 'delay'; readonly ms: number }
  /** The port breaks its promise and rejects. */
  | { readonly type: 'reject' };

type Failure = Extract<WriteOutcome, { ok: false }>;

export const fail = (code: ErrorCode, message: string): Failure => ({ ok: false, code, message });

export const refusal = (fault: Extract<Fault, { type: 'refuse' }>): Failure => ({
  ok: false,
  code: fault.code,
  message: `injected ${fault.code}`,
  ...(fault.retryAfterMs !== undefined && { retryAfterMs: fault.retryAfterMs }),
});

/** Shorter where it is aborted. */
export const wait = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted === true) return resolve();
    const cancel = clock.at(clock.now() + ms, resolve);
    signal?.addEventListener('abort', () => {
      cancel();
      resolve();
    });
  });
