// Tests that fail at their first attempt, each for another reason. Run by ../attempts.test.ts.
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

const drawn = process.env['COPPICE_DRAWN'] ?? '';
let attempts = 0;

describe('A test', () => {
  it('passes at its second attempt', () => {
    attempts += 1;
    expect(attempts).toBe(2);
  });

  it('fails for one case in four thousand millions', () => {
    let first: number | undefined;
    fc.assert(
      fc.property(fc.noBias(fc.integer()), (value) => {
        if (first === undefined) appendFileSync(drawn, `${value}\n`);
        first ??= value;
        return value !== first;
      }),
    );
  });

  it('draws anew after another has failed', () => {
    fc.assert(
      fc.property(
        fc.noBias(fc.integer()),
        (value) => appendFileSync(drawn, `${value}\n`) === undefined,
      ),
      { numRuns: 1 },
    );
  });
});
