// Golden traces: in which order updates and recoveries delete and create, in scenarios that ten
// seeds shake. Each is a text beside (traces/); a change of it is a diff that somebody reads
// against spec controllers 4, 5 and 7. `npm test -- golden -u` writes them anew.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cliques } from './cliques.ts';
import { groups } from './groups.ts';
import { held } from './held.ts';
import { recovery } from './recovery.ts';
import { Run } from './run.ts';
import { scaling } from './scaling.ts';
import type { Scenario } from './scenario.ts';
import { textOf } from './text.ts';

const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const scenarios = { ...cliques, ...groups, ...scaling, ...held, ...recovery };

function played({ set, play }: Scenario, seed: number): Run {
  const run = new Run(set, seed);
  play(run);
  expect(run.violations, `seed ${seed}`).toEqual([]);
  return run;
}

describe('The golden trace', () => {
  it.each(Object.entries(scenarios))(
    '%s is what its scenario does with ten seeds',
    { timeout: 120_000 },
    async (name, scenario) => {
      const runs = seeds.map((seed) => played(scenario, seed));
      await expect(textOf(scenario.about, runs)).toMatchFileSnapshot(`traces/${name}.txt`);
    },
  );

  it('of each text has a scenario', () => {
    const texts = readdirSync(new URL('traces/', import.meta.url));
    const known = new Set(Object.keys(scenarios).map((name) => `${name}.txt`));
    expect(texts.filter((text) => !known.has(text))).toEqual([]);
  });
});
