// What is measured: how many claims come how fast on a pool of which size, and the bounds to which
// each case is held. The sizes are upstream's load tests (spec agent-sandbox 5.2, 5.5).

export interface ClaimsCase {
  readonly name: string;
  /** Members of the pool. */
  readonly pool: number;
  /** Claims of a burst. */
  readonly count: number;
  /** Claims a second; 0: all at once. */
  readonly rate: number;
  /** One after the other without deletion, each on a full pool. */
  readonly bursts: number;
  /** One pair of it is enough for the report. */
  readonly isLong?: boolean;
}

const cases = [
  { name: '300', pool: 600, count: 300, rate: 300, bursts: 1 },
  { name: '750', pool: 1050, count: 750, rate: 75, bursts: 1 },
  { name: '100', pool: 200, count: 100, rate: 50, bursts: 1 },
  { name: 'burst', pool: 3700, count: 3600, rate: 0, bursts: 1, isLong: true },
  { name: 'bursts', pool: 200, count: 100, rate: 50, bursts: 10, isLong: true },
  { name: 'fill', pool: 1050, count: 0, rate: 0, bursts: 0 },
] as const satisfies readonly ClaimsCase[];

export type CaseName = (typeof cases)[number]['name'];
export const caseNames = cases.map(({ name }) => name);
export const claimsCases: readonly ClaimsCase[] = cases;

/** What is measured unless told otherwise: what the floor judges. */
export const usualCases = ['300', '750', '100', 'fill'] as const satisfies readonly CaseName[];

export const caseOf = (name: CaseName): ClaimsCase => {
  const found = claimsCases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
};

/** `300 claims at 300/s, pool of 600` */
export function titleOf({ pool, count, rate, bursts }: ClaimsCase): string {
  const size = pool.toLocaleString('en-US');
  if (count === 0) return `pool of ${size} filled`;
  const claims = `${count.toLocaleString('en-US')} claims`;
  const pace = rate === 0 ? 'at once' : `at ${rate}/s`;
  return `${bursts > 1 ? `${bursts} x ` : ''}${claims} ${pace}, pool of ${size}`;
}
