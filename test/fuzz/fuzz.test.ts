// The fuzzer finds what it is there for, and the parsers of what others wrote throw for none of its
// first inputs; `npm run fuzz` runs longer, guided by coverage, and judges time.
import { describe, expect, it } from 'vitest';
import { seeded } from '#test/support/virtual-clock.ts';
import { fuzz, type Target } from './fuzzer.ts';
import { drawing } from './mutations.ts';
import { targets } from './targets.ts';

const still = { now: () => 0, limitMs: 50 };
const draw = () => drawing(seeded(7).next);

const planted = (run: Target['run']): Target => ({
  name: 'planted',
  seeds: ['start'],
  tokens: ['magic', 'word'],
  run,
});

describe('Any text', () => {
  it.each(targets)('makes no parser of $name throw (S-17)', { timeout: 240_000 }, (target) => {
    const isOver = (runs: number): boolean => runs >= 400;
    const { findings, runs } = fuzz(target, { ...still, draw: draw(), isOver });
    expect(runs).toBeGreaterThanOrEqual(400);
    expect(findings).toEqual([]);
  });
});

describe('A fuzzer', () => {
  it('finds what throws, and shows the input', () => {
    const target = planted((text) => {
      if (text.includes('magic')) throw new Error('that word');
    });
    const { findings } = fuzz(target, { ...still, draw: draw(), isOver: (runs) => runs > 5_000 });
    const [first] = findings;
    expect(first?.input).toContain('magic');
    expect(first?.what).toContain('that word');
  });

  it('takes for slow what is slow every time', () => {
    const clock = { ms: 0 };
    const seen = new Set<string>();
    const target = planted((text) => {
      const isFirst = !seen.has(text);
      seen.add(text);
      // The word is slow always, anything else the first time at most.
      clock.ms += text.includes('word') || isFirst ? 60 : 0;
    });
    const { findings } = fuzz(target, {
      draw: draw(),
      now: () => clock.ms,
      limitMs: 50,
      isOver: (runs) => runs > 5_000,
    });
    expect(findings.length).toBeGreaterThan(0);
    for (const { input, what } of findings) {
      expect(input).toContain('word');
      expect(what).toBe('takes 60 ms');
    }
  });

  it('gives a parser the time that it may take', () => {
    const clock = { ms: 0 };
    const target = planted(() => (clock.ms += 60));
    const options = { now: () => clock.ms, limitMs: 50, isOver: (runs: number) => runs > 100 };
    const judgedBy = (limitMs?: number): number =>
      fuzz({ ...target, ...(limitMs !== undefined && { limitMs }) }, { ...options, draw: draw() })
        .findings.length;
    expect(judgedBy()).toBeGreaterThan(0);
    expect(judgedBy(60)).toBe(0);
  });
});
