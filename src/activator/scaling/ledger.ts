// Requests at once of each revision, accounted inline on the request path as an exact integral over
// time (spec activator 1.10, H-118). A revision that had nothing is told of at once, so that its
// first pod is started; from then on its average is reported every second.
import type { Clock } from '#actors/ports.ts';
import type { Demand } from '../demand.ts';

/** What is told of one revision. */
export interface Report {
  /** `namespace/name`. */
  readonly revision: string;
  /** Requests at once, as an average over the time since the last report. */
  readonly concurrency: number;
  /** Requests that have begun since then. */
  readonly count: number;
  /** Told at once, and left out of the next report. */
  readonly isFirst?: true;
}

/** Called in a turn of its own, never on the request path. Must not throw. */
export type Reporting = (batch: readonly Report[]) => void;

class Entry {
  active = 0;
  count = 0;
  /** Request-milliseconds since the last report. */
  area = 0;
  changedAt: number;
  reportedAt: number;
  /** The first request was told already: 1, or 0. */
  discount = 1;

  constructor(now: number) {
    this.changedAt = now;
    this.reportedAt = now;
  }

  /** Of events that come late none adds less than nothing. */
  advance(now: number): void {
    if (now <= this.changedAt) return;
    this.area += this.active * (now - this.changedAt);
    this.changedAt = now;
  }
}

export interface LedgerOptions {
  readonly clock: Pick<Clock, 'now' | 'at' | 'soon' | 'steady'>;
  readonly report: Reporting;
  /** Between two reports. */
  readonly tickMs?: number;
}

const defaultTickMs = 1_000;

export class Ledger implements Demand {
  readonly #clock: LedgerOptions['clock'];
  readonly #report: Reporting;
  readonly #tickMs: number;
  readonly #entries = new Map<string, Entry>();
  #first: string[] = [];
  #cancelTimer: (() => void) | undefined;

  constructor({ clock, report, tickMs = defaultTickMs }: LedgerOptions) {
    this.#clock = clock;
    this.#report = report;
    this.#tickMs = tickMs;
  }

  begun(revision: string): void {
    const now = this.#clock.steady();
    const known = this.#entries.get(revision);
    const entry = known ?? new Entry(now);
    entry.advance(now);
    entry.active += 1;
    entry.count += 1;
    if (known === undefined) this.#begin(revision, entry);
  }

  ended(revision: string): void {
    // An entry stays as long as a request holds it, so it is the one that the request began on.
    const entry = this.#entries.get(revision);
    if (entry === undefined || entry.active === 0) return;
    entry.advance(this.#clock.steady());
    entry.active -= 1;
  }

  /** Requests that are here now. */
  active(revision: string): number {
    return this.#entries.get(revision)?.active ?? 0;
  }

  stop(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#entries.clear();
  }

  #begin(revision: string, entry: Entry): void {
    this.#entries.set(revision, entry);
    if (this.#first.push(revision) === 1) this.#clock.soon(() => this.#tellFirst());
    if (this.#cancelTimer === undefined) this.#arm();
  }

  #tellFirst(): void {
    const batch = this.#first.map((revision) => ({
      revision,
      concurrency: 1,
      count: 1,
      isFirst: true as const,
    }));
    this.#first = [];
    this.#report(batch);
  }

  #arm(): void {
    this.#cancelTimer = this.#clock.at(this.#clock.now() + this.#tickMs, () => this.#tick());
  }

  /** No timer runs while there is nothing to tell. */
  #tick(): void {
    const now = this.#clock.steady();
    const batch: Report[] = [];
    for (const [revision, entry] of this.#entries) {
      entry.advance(now);
      batch.push(reportOf(revision, entry, now));
      const isIdle = entry.area === 0;
      entry.area = 0;
      entry.count = 0;
      entry.discount = 0;
      entry.reportedAt = now;
      if (isIdle && entry.active === 0) this.#entries.delete(revision);
    }
    this.#cancelTimer = undefined;
    if (this.#entries.size > 0) this.#arm();
    if (batch.length > 0) this.#report(batch);
  }
}

function reportOf(revision: string, entry: Entry, now: number): Report {
  const elapsed = now - entry.reportedAt;
  const average = elapsed > 0 ? entry.area / elapsed : entry.active;
  return {
    revision,
    concurrency: Math.max(0, average - entry.discount),
    count: entry.count - entry.discount,
  };
}
