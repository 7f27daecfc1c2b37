// Random histories of a clique: what is decided, by whom it is overtaken, and where it ends.
import { describe, expect, it } from 'vitest';
import { History } from './history.ts';

const histories = Number(process.env['HISTORIES'] ?? 400);
const first = Number(process.env['SEED'] ?? 1);

function pass(seed: number): void {
  const nodes = 2 + (seed % 7);
  const maxNodes = seed % 3 === 0 ? Math.max(1, nodes - 1) : 18;
  const history = new History({ seed, nodes, maxNodes, steps: 40 + (seed % 80) });
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
  } catch (error) {
    const how = `SEED=${seed} HISTORIES=1 npx vitest run test/machines/nvidia/clique/history.test.ts`;
    throw new Error(`${String(error)}\n${how}\n${history.log.join('\n')}`, { cause: error });
  }
}

describe('a clique in any history', () => {
  it(`has no index twice, moves none, and converges (A-1, A-2, A-13, A-15, A-17, A-21, A-27, A-30, A-31, A-32, A-33, A-42, A-50, HC-26, HC-64; ${histories} histories from seed ${first})`, () => {
    for (let seed = first; seed < first + histories; seed++) pass(seed);
  });
});
