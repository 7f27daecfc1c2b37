// Which verdicts of an earlier run still count, so that a run that was ended goes on.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isKilled, KeptVerdicts } from './verdict.ts';

let folder = '';
const file = (): string => join(folder, 'kept', 'verdicts.json');
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coppice-verdicts-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('A verdict', () => {
  it('of a mutant that was killed, or ran out of time, counts whatever its tests are now', async () => {
    const kept = KeptVerdicts.read(file());
    await kept.keep('a', { outcome: 'killed', by: 'some test' });
    await kept.keep('b', { outcome: 'timeout' });
    const again = KeptVerdicts.read(file());
    expect(again.get('a', 'new tests')).toEqual({ outcome: 'killed', by: 'some test' });
    expect(again.get('b', 'new tests')).toEqual({ outcome: 'timeout' });
  });

  it('of one that survived counts as long as its tests are the same', async () => {
    const kept = KeptVerdicts.read(file());
    await kept.keep('a', { outcome: 'survived', tests: 'old tests' });
    await kept.keep('b', { outcome: 'unreached', tests: 'none' });
    const again = KeptVerdicts.read(file());
    expect(again.get('a', 'old tests')?.outcome).toBe('survived');
    expect(again.get('a', 'new tests')).toBeUndefined();
    expect(again.get('b', 'new tests')).toBeUndefined();
  });

  it('is not there before the first run', () => {
    expect(KeptVerdicts.read(file()).get('a', '')).toBeUndefined();
  });

  it('counts as killed where the tests did not end', () => {
    const outcomes = (['killed', 'timeout', 'survived', 'unreached'] as const).filter((outcome) =>
      isKilled({ outcome }),
    );
    expect(outcomes).toEqual(['killed', 'timeout']);
  });
});
