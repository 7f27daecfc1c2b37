// When a changed line counts as found: a test must have failed, and for the right reason.
import { describe, expect, it } from 'vitest';
import { type FileResult, notATest } from '../run/runner.ts';
import { outcomeOf } from './changed-line.ts';
import type { ChangedLine } from './mutant.ts';

const mutant: ChangedLine = { shows: 'A-1', file: 'a.ts', from: 'a', to: 'b' };
const path = 'test/a.test.ts';

const judged = (result: Partial<FileResult>, says?: string) => {
  const file = { path, passed: 0, failed: [], messages: [], ms: 1, ...result };
  const one = says === undefined ? mutant : { ...mutant, says };
  return outcomeOf({ files: [file], errors: [] }, path, one);
};

const failed = { failed: ['A pod goes'], messages: ['expected 1 to be 2\n- 2\n+ 1'] };

describe('A changed line', () => {
  it('falls where a test fails', () => {
    expect(judged(failed)).toEqual({ falls: true, why: `${path}: A pod goes` });
    expect(judged({ passed: 3 }).falls).toBe(false);
  });

  it('falls by what it says alone, where that is named', () => {
    expect(judged(failed, '1 to be')).toMatchObject({ falls: true });
    expect(judged(failed, 'timed out')).toMatchObject({ falls: false });
  });

  it('does not fall where no file loads, but where a hook fails after tests have passed', () => {
    const broken = { failed: [notATest], messages: ['PARSE_ERROR'] };
    expect(judged(broken)).toEqual({ falls: false, why: `${path} does not load: PARSE_ERROR` });
    expect(judged({ ...broken, passed: 2 }).falls).toBe(true);
  });

  it('falls where its tests do not end, unless they have something to say', () => {
    expect(outcomeOf(undefined, path, mutant).falls).toBe(true);
    expect(outcomeOf(undefined, path, { ...mutant, says: 'late' }).falls).toBe(false);
  });
});
