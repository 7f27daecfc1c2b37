// The limits of admission with their defaults, in one place. The request path reads them from the
// configuration, or takes these.

export const admissionDefaults = {
  /** Requests that wait for a pod of one revision. */
  maxWaiting: 10_000,
  /** Requests that wait in the process. */
  maxWaitingInProcess: 100_000,
  /** Bytes of their bodies that the process holds meanwhile. */
  maxWaitingBodyBytes: 256 * 1_024 * 1_024,
  /** Requests that are admitted at once when many can be; I/O is served before the next ones. */
  grantsPerTurn: 256,
} as const;
