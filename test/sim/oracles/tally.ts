// How often each oracle judged, and how often it abstained and why: an oracle that never judges
// finds nothing. Counted per run, added up by main.ts and by the tests of many seeds.

export const oracleNames = [
  'pod create',
  'delete of a live pod',
  'delete of a done pod',
  'delete of an old pod',
  'delete with the PodClique',
  'pods in the store',
  'ungated pod',
  'owner of the deleted',
  'child create',
  'child delete',
  'delete of an old member',
  'end under OnDelete',
  'hash of a template',
  'pod of a template',
  'termination',
  'domain end',
  'marks of others',
  'pods ever',
  'pods ever, exactly',
  'claim end',
  'pod behind a base gang',
  'back to the start',
  'write under a lease',
  'write after the next owner',
  'plan after a take-over',
  'indices of a clique',
  'index of a node',
  'version of a clique',
  'row removed',
  'index given away',
  'index of who returns',
  'repaired index',
  'write of a clique',
  'end of a child',
  'joined',
  'preconditions',
  'owner of a Sandbox',
  'Sandboxes of a claim',
  'cold start',
  'take-over',
  'fresh member',
  'population',
  'unknown member',
  'pods of a Sandbox',
  'Ready of a Sandbox',
  'delete of a claim',
  'delete of a claimed Sandbox',
  'delete of a member',
  'delete of an orphan',
  'delete of a pod',
  'assignment',
  'assignment cleared',
  'binding ended',
  'Ready of a claim',
  'expiry',
  'refusal',
  'missing',
  'forwarded reason',
] as const;

export type OracleName = (typeof oracleNames)[number];

export interface Count {
  readonly judged: number;
  /** By reason. */
  readonly abstained: Readonly<Record<string, number>>;
}

export type Counts = Readonly<Partial<Record<OracleName, Count>>>;

const none: Count = { judged: 0, abstained: {} };

export class Tally {
  #counts: Partial<Record<OracleName, Count>> = {};

  get counts(): Counts {
    return this.#counts;
  }

  judged(name: OracleName, times = 1): void {
    const count = this.#counts[name] ?? none;
    this.#counts[name] = { ...count, judged: count.judged + times };
  }

  abstained(name: OracleName, reason: string, times = 1): void {
    const count = this.#counts[name] ?? none;
    const before = count.abstained[reason] ?? 0;
    this.#counts[name] = { ...count, abstained: { ...count.abstained, [reason]: before + times } };
  }

  /** Those of another run. */
  add(counts: Counts): void {
    for (const name of oracleNames) {
      const { judged, abstained } = counts[name] ?? none;
      if (judged > 0) this.judged(name, judged);
      for (const [reason, times] of Object.entries(abstained)) this.abstained(name, reason, times);
    }
  }

  /** A line for each oracle. */
  table(): string[] {
    const rows = oracleNames.map((name) => {
      const { judged, abstained } = this.#counts[name] ?? none;
      const reasons = Object.entries(abstained).map(([reason, times]) => `${times} x ${reason}`);
      return `${name.padEnd(28)} ${String(judged).padStart(8)}  ${reasons.join(', ') || '-'}`;
    });
    return [`${'oracle'.padEnd(28)} ${'judged'.padStart(8)}  abstained`, ...rows];
  }
}
