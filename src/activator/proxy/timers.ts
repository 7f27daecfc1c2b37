// The timers of the few requests that have more than the one limit of deadlines.ts. Used by
// exchange.ts.

export class Timers {
  start: NodeJS.Timeout | undefined;
  idle: NodeJS.Timeout | undefined;
  retry: NodeJS.Timeout | undefined;

  /** The answer has. */
  begun(): void {
    clearTimeout(this.start);
  }

  stop(): void {
    clearTimeout(this.start);
    clearTimeout(this.idle);
    clearTimeout(this.retry);
  }
}
