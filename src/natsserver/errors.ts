// Why there is no nats-server. Thrown by binary.ts and process.ts with a message that is fit to be
// printed to whoever started the process; callers tell the reasons apart by `reason`.

export type NatsServerProblem =
  /** No binary in the package, `$NATS_SERVER` or PATH. */
  | 'not-found'
  /** There is one, but it cannot be run or is no nats-server. */
  | 'not-runnable'
  /** There is one, but it lacks fixes that are needed. */
  | 'too-old'
  /** The data directory belongs to a server whose owner is alive. */
  | 'in-use'
  /** Another process listens on the port. */
  | 'port-busy'
  /** It ended, or did not get ready in time. */
  | 'not-ready';

export class NatsServerError extends Error {
  readonly reason: NatsServerProblem;

  constructor(reason: NatsServerProblem, message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'NatsServerError';
    this.reason = reason;
  }
}
