// What a comparison calls worse: by the ratios of the pairs, beyond the limit and beyond noise.
import { describe, expect, test } from 'vitest';
import type { Result } from '../statistics.ts';
import { type Pair, verdicts, verdictTable } from './verdict.ts';

const pairs = (...rows: readonly (readonly [Result, Result])[]): readonly Pair[] =>
  rows.map(([base, head]) => ({ base, head }));

const worse = (rows: readonly Pair[], limit = 20): readonly string[] =>
  verdicts(rows, limit)
    .filter(({ isWorse }) => isWorse)
    .map(({ figure }) => figure);

describe('A comparison', () => {
  test('of a commit with itself finds nothing worse', () => {
    const same = { created_s: 8, gone_s: 7, writes: 3507, conflicts: 0, controller_cpu_s: 3 };
    const rows = verdicts(pairs([same, same], [same, same]), 20);
    expect(rows.map(({ ratio, isWorse }) => [ratio, isWorse])).toEqual(rows.map(() => [1, false]));
    expect(rows).toHaveLength(5);
  });

  test('calls a figure worse that is beyond the limit, and only then', () => {
    expect(worse(pairs([{ created_s: 10 }, { created_s: 12.1 }]))).toEqual(['created_s']);
    expect(worse(pairs([{ created_s: 10 }, { created_s: 11.9 }]))).toEqual([]);
    expect(worse(pairs([{ created_s: 10 }, { created_s: 11.9 }]), 10)).toEqual(['created_s']);
    expect(worse(pairs([{ created_s: 12.1 }, { created_s: 10 }]))).toEqual([]);
  });

  test('takes the median of the ratios of the pairs, so that a slow hour is not held against one', () => {
    const slowing = pairs(
      [{ gone_s: 10 }, { gone_s: 10 }],
      [{ gone_s: 20 }, { gone_s: 20 }],
      [{ gone_s: 20 }, { gone_s: 40 }],
    );
    expect(verdicts(slowing, 20)).toMatchObject([{ figure: 'gone_s', ratio: 1, isWorse: false }]);
  });

  test('proves nothing where the runs of both overlap', () => {
    const restless = pairs([{ ready_s: 1 }, { ready_s: 2 }], [{ ready_s: 2.5 }, { ready_s: 4 }]);
    expect(verdicts(restless, 20)).toMatchObject([{ ratio: 1.8, isWorse: false }]);
    const apart = pairs([{ ready_s: 1 }, { ready_s: 2 }], [{ ready_s: 1.5 }, { ready_s: 4 }]);
    expect(worse(apart)).toEqual(['ready_s']);
  });

  test('overlooks what is noise, whatever the ratio', () => {
    expect(
      worse(
        pairs([
          { created_s: 0.1, conflicts: 0 },
          { created_s: 0.2, conflicts: 4 },
        ]),
      ),
    ).toEqual([]);
    expect(worse(pairs([{ conflicts: 0 }, { conflicts: 6 }]))).toEqual(['conflicts']);
  });

  test('shows the server and does not gate it', () => {
    const table = verdictTable(
      verdicts(pairs([{ apiserver_cpu_s: 1 }, { apiserver_cpu_s: 9 }]), 20),
    );
    expect(table).toMatch(/^apiserver_cpu_s +1 +9 +9 +not gated$/m);
  });

  test('shows median, spread, ratio and what is worse', () => {
    const rows = pairs([{ ready_s: 1 }, { ready_s: 3 }], [{ ready_s: 2 }, { ready_s: 4 }]);
    const [line = ''] = verdictTable(verdicts(rows, 20)).split('\n').slice(1);
    expect(line).toMatch(/^ready_s +1\.5 \(1 to 2\) +3\.5 \(3 to 4\) +2\.5 +WORSE$/);
  });
});
