// What a table asks of a policy. A policy keeps the candidates, which are the routable pods with a
// permit to give, in the order that its choice needs; so it never looks at a hole, at a pod that
// gets no requests or at a full one. Five policies share three implementations: where all five are
// in use in a process, calls to three classes are still compiled in place.

export interface Policy {
  /** A slot becomes a candidate. */
  enter(index: number): void;

  /** A candidate is none any more. */
  leave(index: number): void;

  /** A candidate has another number of requests, and stays one. */
  move(index: number, inFlight: number): void;

  /** A candidate; `none` where there is none. */
  pick(): number;

  readonly isEmpty: boolean;

  /** Slots below `length` may come from now on; it never shrinks. */
  resize(length: number): void;

  /** No candidates. */
  clear(): void;

  /** For the audit: the candidates that are where they have to be, each as often as it is there. */
  members(): readonly number[];
}
