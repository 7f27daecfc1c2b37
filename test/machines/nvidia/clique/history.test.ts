// Random histories of a clique: what is decided, by whom it is overtaken, and where it ends.
// `COPPICE_SEED=<n>` repeats one, `COPPICE_SEEDS=<n>` runs more of them.
import { describe, expect, it } from 'vitest';
import { History } from './history.ts';
import type { Judged } from './invariants.ts';

const usual = 1_000;
const only = process.env['COPPICE_SEED'];
const count = Number(process.env['COPPICE_SEEDS'] ?? usual);
const seeds = only === undefined ? Array.from({ length: count }, (_, n) => n + 1) : [Number(only)];

/** A check that never judges finds nothing. About half of what was counted. */
const leastJudged: Judged = { removals: 220, candidates: 35, repairs: 70 };

/** What the checks judged. */
function pass(seed: number): Judged {
  const nodes = 2 + (seed % 7);
  const maxNodes = seed % 3 === 0 ? Math.max(1, nodes - 1) : 18;
  const history = new History({ seed, nodes, maxNodes, steps: 40 + (seed % 240) });
  try {
    history.run();
    history.end();
    const rows = new Set(history.rows.map(({ nodeName }) => nodeName));
    const live = history.livePods.map(({ node }) => node);
    expect(rows.size).toBe(Math.min(maxNodes, live.length));
    for (const node of rows) expect(live).toContain(node);
    expect(history.rows.every(({ status }) => status === 'Ready')).toBe(true);
    const { writes } = history;
    history.end();
    expect(history.writes).toBe(writes);
    return history.judged;
  } catch (error) {
    const how = `COPPICE_SEED=${seed} npm test -- test/machines/nvidia/clique/history.test.ts`;
    throw new Error(`${String(error)}\n${how}\n${history.log.join('\n')}`, { cause: error });
  }
}

describe('a clique in any history', () => {
  it(`has no index twice, moves none, and converges (A-1, A-2, A-13, A-15, A-17, A-18, A-21, A-27, A-30, A-31, A-32, A-33, A-42, A-50, HC-26, HC-64; ${seeds.length} histories)`, () => {
    const all = seeds.map(pass);
    if (all.length < usual) return;
    const sum = (what: keyof Judged): number => all.reduce((so, one) => so + one[what], 0);
    expect(sum('removals')).toBeGreaterThanOrEqual(leastJudged.removals);
    expect(sum('candidates')).toBeGreaterThanOrEqual(leastJudged.candidates);
    expect(sum('repairs')).toBeGreaterThanOrEqual(leastJudged.repairs);
  }, 600_000);
});
