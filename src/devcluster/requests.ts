// The log of requests: who asked for what and how it went. Benchmarks count writes with it, tests
// assert on it, `coppice dev` shows it.

export interface RequestRecord {
  readonly verb: string;
  readonly group: string;
  /** Plural name; empty for discovery, health and the like. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  /** Empty for lists and creates with a generated name. */
  readonly name: string;
  readonly code: number;
  readonly user: string;
  readonly userAgent: string;
  readonly dryRun: boolean;
  /** Epoch milliseconds of the answer. */
  readonly at: number;
}

/** Counts by "verb resource[/subresource] code" and passes every record on. */
export class RequestLog {
  readonly #counts = new Map<string, number>();
  readonly #listeners = new Set<(record: RequestRecord) => void>();

  record(record: RequestRecord): void {
    const key = keyOf(record);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    for (const listener of this.#listeners) listener(record);
  }

  /** Requests so far by "verb resource[/subresource] code", sorted. */
  counts(): Record<string, number> {
    return Object.fromEntries([...this.#counts].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  }

  reset(): void {
    this.#counts.clear();
  }

  /** The returned function ends it. */
  onRequest(listener: (record: RequestRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

const keyOf = ({ verb, resource, subresource, code }: RequestRecord): string =>
  `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`} ${code}`;
