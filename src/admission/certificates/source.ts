// Where the certificate of the webhooks, or of the question server, comes from, and the loop that
// presents each new one to the server. There are two sources: a Secret that we keep (keeper.ts) and
// files that somebody else keeps (files.ts).
import type { Clock, Telemetry } from '#actors/ports.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';
import type { Issued } from '#src/tls/authority.ts';
import { readBundle } from './bundle.ts';

/** Whose certificate it is, for logs and labels. */
export type CertificateUser = 'webhooks' | 'question server';

export interface Identity extends Issued {
  /** PEM of the authorities that make it trusted; blank where that is not ours to say. */
  readonly authorities: string;
}

export interface CertificateSource {
  /** What is to be served now; rejects where that is not to be had. */
  readonly current: () => Promise<Identity>;
}

export interface FollowOptions {
  readonly source: CertificateSource;
  readonly usedBy: CertificateUser;
  readonly clock: Clock;
  readonly log: Telemetry['log'];
  readonly pollMs: number;
  /** After so long without a look that worked, what is served may be trusted no longer. Absent: it
   *  is good for as long as it says. */
  readonly staleMs?: number;
  /** Called with the first, and with each that differs from the one before. A throw or rejection
   *  is logged, and the same certificate is presented again later. */
  readonly present: (identity: Identity) => Promise<void> | void;
}

export interface Following {
  /** Why there is nothing to serve, or nothing that is surely trusted; undefined when there is. */
  readonly missing: () => string | undefined;
  /** When the certificate ends that was presented last; undefined before the first. */
  readonly servedUntil: () => EpochMs | undefined;
  /** Resolves when nothing is presented any more. */
  stop(): Promise<void>;
}

/** Asks at once and then every `pollMs`, until it is stopped. */
export function follow(options: FollowOptions): Following {
  const { source, usedBy, clock, log, pollMs, staleMs, present } = options;
  let missing: string | undefined = 'waits for its certificate';
  let lookedAt = clock.now();
  let last: Issued | undefined;
  let isStopped = false;
  let cancel = (): void => undefined;
  let looking: Promise<void> = Promise.resolve();
  const look = async (): Promise<void> => {
    try {
      const identity = await source.current();
      if (isStopped) return;
      if (last?.cert !== identity.cert || last.key !== identity.key) {
        await present(identity);
        last = identity;
      }
      missing = undefined;
      lookedAt = clock.now();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      const isStale = staleMs !== undefined && clock.now() - lookedAt >= staleMs;
      if (last === undefined || isStale) missing = why;
      log('warn', `the certificate of the ${usedBy} cannot be looked at`, { error: why });
    }
    if (!isStopped)
      cancel = clock.at(clock.now() + pollMs, () => {
        looking = look();
      });
  };
  looking = look();
  return {
    missing: () => missing,
    servedUntil: () => (last === undefined ? undefined : readBundle(last.cert)[0]?.until),
    stop: async () => {
      isStopped = true;
      cancel();
      await looking;
    },
  };
}
