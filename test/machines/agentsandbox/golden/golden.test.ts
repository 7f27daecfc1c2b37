// Golden traces: in which order claims are assigned, taken over and told, members created and
// deleted, and pods replaced, in the worst hard cases, which ten seeds shake. Each is a text beside
// (traces/); a change of it is a diff that somebody reads against spec agent-sandbox 2.1, 2.3, 2.4
// and 7.
// `npm test -- golden -u` writes them anew.
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { textOf } from '../../grove/golden/text.ts';
import { Run } from './run.ts';
import { SandboxRun } from './sandbox-run.ts';
import { sandboxScenarios, scenarios } from './scenarios.ts';

const seeds = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];

describe('The golden trace', () => {
  it.each(Object.entries(scenarios))(
    '%s is what its scenario does with ten seeds',
    { timeout: 120_000 },
    async (name, { about, play, ...pool }) => {
      const runs = seeds.map((seed) => {
        const run = new Run(pool, seed);
        play(run);
        expect(run.wrong(pool.replicas), `seed ${seed}`).toEqual([]);
        return run;
      });
      await expect(textOf(about, runs)).toMatchFileSnapshot(`traces/${name}.txt`);
    },
  );

  it.each(Object.entries(sandboxScenarios))(
    '%s is what its scenario does with ten seeds',
    async (name, { about, play }) => {
      const runs = seeds.map((seed) => {
        const run = new SandboxRun(seed);
        play(run);
        run.check();
        return run;
      });
      await expect(textOf(about, runs)).toMatchFileSnapshot(`traces/${name}.txt`);
    },
  );

  it('of each text has a scenario', () => {
    const texts = readdirSync(new URL('traces/', import.meta.url));
    const names = Object.keys({ ...scenarios, ...sandboxScenarios });
    const known = new Set(names.map((name) => `${name}.txt`));
    expect(texts.filter((text) => !known.has(text))).toEqual([]);
  });
});
