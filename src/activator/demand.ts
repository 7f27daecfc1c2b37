// What the request path tells of the requests of each revision, so that pods are started for them:
// the autoscaler hears how many there are at once. Called by proxy/, implemented by whoever reports
// to an autoscaler.

/** `revision` is `namespace/name`. Both are called on the request path: neither waits nor throws. */
export interface Demand {
  /** A request is here; it may wait for a pod yet. */
  begun(revision: string): void;
  /** It is over, however it ended: once for each `begun`. */
  ended(revision: string): void;
}
