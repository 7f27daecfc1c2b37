// Random histories of claims and their pool: who gets which Sandbox, and where it ends.
// `COPPICE_SEED=<n>` repeats one, `COPPICE_SEEDS=<n>` runs more of them.
import { describe, expect, it } from 'vitest';
import { History } from './history.ts';
import type { Judged } from './judge.ts';

const usual = 400;
const only = process.env['COPPICE_SEED'];
const count = Number(process.env['COPPICE_SEEDS'] ?? usual);
/** A take-over was on its way while another pool took the name; an assignment was repeated whose
 *  member was gone; a deletion was answered that was of an earlier member of the name. */
const kept = [2_216, 10_690, 12_503, 65_048, 73_285];
const seeds =
  only === undefined
    ? [...Array.from({ length: count }, (_, n) => n + 1), ...kept]
    : [Number(only)];

/** A check that never judges finds nothing. About half of what was counted. */
const leastJudged: Judged = { taken: 480, cold: 850, cleared: 90, terminal: 50 };

function pass(seed: number): Judged {
  const history = new History({
    seed,
    steps: 60 + (seed % 300),
    replicas: seed % 6,
    strategy: seed % 4 === 0 ? 'Recreate' : 'OnReplenish',
    isSplit: seed % 3 !== 0,
  });
  try {
    history.run();
    history.end();
    expect(history.wrong.join('\n')).toBe('');
    return history.judge.judged;
  } catch (error) {
    const how = `COPPICE_SEED=${seed} npm test -- test/machines/agentsandbox/claim/history.test.ts`;
    throw new Error(`${String(error)}\n${how}\n${history.log.join('\n')}`, { cause: error });
  }
}

describe('claims and their pool in any history', () => {
  it(`bind each Sandbox to one claim and each claim to one Sandbox, and none is lost (R1, R2, R4, R5, C1, C5, C6, K1, K2, K3; ${seeds.length} histories)`, () => {
    const all = seeds.map(pass);
    if (all.length < usual) return;
    const sum = (what: keyof Judged): number => all.reduce((so, one) => so + one[what], 0);
    for (const what of ['taken', 'cold', 'cleared', 'terminal'] as const) {
      expect(sum(what)).toBeGreaterThanOrEqual(leastJudged[what]);
    }
  }, 600_000);
});
