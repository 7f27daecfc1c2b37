// The times of the lease protocol and what follows from them: how long a process may trust its own
// lease, and how long it must see another one silent. Read by standing.ts and view.ts; the
// arithmetic is argued in docs/decisions/0010-leases.md.

/** All in milliseconds but `shards`. */
export interface Terms {
  readonly shards: number;
  /** A member whose lease is seen unchanged for this long is declared dead. */
  readonly durationMs: number;
  /** Without a renewal for this long a process ends its actors. */
  readonly renewMs: number;
  /** Between two renewals, and before a failed one is tried again. */
  readonly retryMs: number;
}

/** One process's clock may run this much faster than another's. */
export const clockRateRatio = 2;

/** What is on its way when a lease ends has this long to arrive, even with the worst clocks. */
export const arrivalMs = 500;

/** The protocol looks at its clock this often while nothing happens. */
export const tickMs = 250;

/** Whoever has just joined gives no shard away for this long: others may join at the same time. */
export const joinGraceMs = 500;

/** A leaving process waits for its hand-overs, but not longer. What it could not hand over is taken
 *  as from a dead one, after `durationMs`. */
export const leaveMs = 4_000;

/** A lease is surely held for this long after the renewal was sent. */
export const sureMs = ({ durationMs, renewMs }: Terms): number =>
  Math.min(renewMs, durationMs / clockRateRatio) - arrivalMs;

/** From times in seconds, as configurations have them. */
export const termsOf = (
  seconds: {
    readonly durationSeconds: number;
    readonly renewSeconds: number;
    readonly retrySeconds: number;
  },
  shards: number,
): Terms => ({
  shards,
  durationMs: seconds.durationSeconds * 1000,
  renewMs: seconds.renewSeconds * 1000,
  retryMs: seconds.retrySeconds * 1000,
});

/** Undefined, or why these terms cannot work: field and reason. */
export function termsError(
  terms: Terms,
): { readonly field: string; readonly why: string } | undefined {
  const { durationMs, renewMs, retryMs } = terms;
  if (renewMs >= durationMs) {
    return { field: 'renewSeconds', why: 'must be below durationSeconds' };
  }
  if (sureMs(terms) < 2 * retryMs) {
    const most = (sureMs(terms) / 2000).toFixed(1);
    return { field: 'retrySeconds', why: `must be at most ${most} with these times` };
  }
  return undefined;
}
