// Random histories of Sandboxes: what is done, and where it ends. `COPPICE_SEED=<n>` repeats one,
// `COPPICE_SEEDS=<n>` runs more of them.
import { expect, it } from 'vitest';
import { History } from './history.ts';

const only = process.env['COPPICE_SEED'];
const count = Number(process.env['COPPICE_SEEDS'] ?? 1_000);
const seeds = only === undefined ? Array.from({ length: count }, (_, n) => n + 1) : [Number(only)];

function pass(seed: number): void {
  const history = new History(seed);
  try {
    history.run(40 + (seed % 160));
    history.end();
    const { world } = history;
    const before = world.writes.length;
    world.pass(60_000).comeToRest().restart().comeToRest().pass(60_000).comeToRest();
    expect(world.writes.slice(before)).toEqual([]);
  } catch (error) {
    const how = `COPPICE_SEED=${seed} npm test -- test/machines/agentsandbox/sandbox/history.test.ts`;
    throw new Error(`${String(error)}\n${how}\n${history.log.join('\n')}`, { cause: error });
  }
}

it(`Sandboxes have one pod each, touch nobody else's, converge and come to rest in any history (H1, S4, S7, R49, R50, R52, R53, R55, R57, R59, R69; ${seeds.length} histories)`, () => {
  for (const seed of seeds) pass(seed);
}, 600_000);
