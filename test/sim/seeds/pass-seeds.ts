// States that seeds pass, one test each, and that the oracles judged often enough in them: for the
// files of seeds of each kind, and for the walks.
import { afterAll, describe, expect, it } from 'vitest';
import { amountOf } from '#test/support/optional.mjs';
import { cliqueDay } from '../cliques/run.ts';
import { type Kind, kinds } from '../kinds.ts';
import { type JudgedKind, judgedTooSeldom } from '../oracles/least-judged.ts';
import { type Counts, Tally } from '../oracles/tally.ts';
import { poolDay } from '../pools/run.ts';
import { type Report, simulate } from '../run.ts';
import { walk } from '../walk/run.ts';

/** Of the first hundred of each kind, those that are no long test. */
export const shortDays = amountOf('simulated days of each kind in npm test');

/** By kind, the seed up to which every day passes in the long tests. */
export const passedUpTo = {
  plain: amountOf('simulated days'),
  cliques: amountOf('simulated days'),
  pools: amountOf('simulated days'),
  losses: amountOf('simulated days'),
  updates: amountOf('simulated days') / 2,
} as const satisfies Partial<Record<Kind | 'cliques' | 'pools', number>>;

/** Of walks without faults, and with them. */
export const shortWalks = { calm: 4, faulty: 4 };

/** Both ends included. */
export const range = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);

const besides: Readonly<Record<Kind, string>> = {
  plain: '',
  groups: ' with scaling groups',
  topology: ' with topology constraints',
  domains: ' with ComputeDomains',
  sharing: ' with shared claims',
  kai: ' with sets for KAI',
  updates: ' with edits of templates',
  losses: ' with edits of templates and lost nodes',
  restored: ' before a restore from a backup',
};

export function passSeeds(seeds: readonly number[], kind: Kind = 'plain'): void {
  const flag = kind === 'plain' ? '' : `--${kind} `;
  describe(`The controller on a bad day${besides[kind]}`, () => {
    const counted = countJudgements(kind);
    it.each(seeds)(
      'with seed %i comes to the expected end, harms nothing and is quiet',
      { timeout: 60_000 },
      async (seed) => {
        const { violations, judgements } = await simulate(seed, kinds[kind]);
        counted(judgements);
        expect(violations, `npm run sim -- ${flag}--seed ${seed} --trace`).toEqual([]);
      },
    );
  });
}

export const passCliqueDays = (seeds: readonly number[]): void =>
  passDays(seeds, {
    kind: 'cliques',
    live: cliqueDay,
    what: 'The tables of cliques on a bad day',
    title: 'with seed %i keep every index, come to the expected end and are quiet',
  });

export const passPoolDays = (seeds: readonly number[]): void =>
  passDays(seeds, {
    kind: 'pools',
    live: poolDay,
    what: 'Warm pools and claims on a bad day',
    title: 'with seed %i bind each Sandbox once, lose no claim, make none too many and are quiet',
  });

interface Days {
  readonly kind: 'cliques' | 'pools';
  readonly live: (seed: number) => Promise<Report>;
  readonly what: string;
  readonly title: string;
}

function passDays(seeds: readonly number[], { kind, live, what, title }: Days): void {
  describe(what, () => {
    const counted = countJudgements(kind);
    it.each(seeds)(title, { timeout: 60_000 }, async (seed) => {
      const { violations, judgements } = await live(seed);
      counted(judgements);
      expect(violations, `npm run sim -- --${kind} --seed ${seed} --trace`).toEqual([]);
    });
  });
}

/** Counts what the oracles of these tests judge, and fails where one does too seldom. */
function countJudgements(kind: JudgedKind): (counts: Counts) => void {
  const tally = new Tally();
  let seeds = 0;
  afterAll(() => {
    expect(judgedTooSeldom(kind, seeds, tally)).toEqual([]);
  });
  return (counts) => {
    tally.add(counts);
    seeds++;
  };
}

/** Of walks without faults and with them. */
export function walkSeeds(seeds: { calm: readonly number[]; faulty: readonly number[] }): void {
  describe('A walk of twenty edits', () => {
    const counted = { calm: countJudgements('calm walk'), faulty: countJudgements('walk') };
    it.each(seeds.calm)(
      'with seed %i ends where the last spec alone would have ended',
      { timeout: 60_000 },
      async (seed) => {
        const { violations, judgements } = await walk(seed, { isCalm: true });
        counted.calm(judgements);
        expect(violations, `npm run sim -- --walk --calm --seed ${seed} --trace`).toEqual([]);
      },
    );

    it.each(seeds.faulty)(
      'on a bad day with seed %i ends there too',
      { timeout: 60_000 },
      async (seed) => {
        const { violations, judgements } = await walk(seed);
        counted.faulty(judgements);
        expect(violations, `npm run sim -- --walk --seed ${seed} --trace`).toEqual([]);
      },
    );
  });
}
