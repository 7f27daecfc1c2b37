// What is known of the token Secret of a PodCliqueSet, which is never read (decision 0021).
import type { EpochMs } from '../../kubernetes/time.ts';

/** What the set's actor was answered since it first saw the set. */
export interface Token {
  /** The set was seen without our finalizer: nobody had made a Secret for it. */
  readonly isFresh: boolean;
  /** A create was not answered, and may have been done. */
  readonly isUnsure: boolean;
  /** UID of the Secret that is ours by the answer to a create. */
  readonly uid: string | undefined;
  /** The last create was refused since the name is taken. */
  readonly isTaken: boolean;
  /** It may be about to go, or gone. */
  readonly needsResync: boolean;
  /** The name of its ServiceAccount is taken, and the account is not ours. */
  readonly isForeign: boolean;
  /** UID of the ServiceAccount when the create was planned that has no answer yet; empty where that
   *  is somebody else's. */
  readonly plannedFor: string | undefined;
  /** Refusals since the Secret was known to be ours, or was doubted. */
  readonly refusals: number;
  /** From when on it is created (again); undefined: the next plan says. */
  readonly nextAt: EpochMs | undefined;
  /** It was deleted together with its set. */
  readonly isGone: boolean;
}

export const noToken: Token = {
  isFresh: false,
  isUnsure: false,
  uid: undefined,
  isTaken: false,
  needsResync: false,
  isForeign: false,
  plannedFor: undefined,
  refusals: 0,
  nextAt: 0,
  isGone: false,
};
