// The bounds of the inspector, by made-up results.
import { describe, expect, test } from 'vitest';
import { judgeViewers, viewersCost } from './judge.ts';

describe('The inspector', () => {
  test('is held to its bounds where they were measured', () => {
    const verdicts = judgeViewers({ page_gzip_kb: 54, first_rows_ratio: 3.2, rows: 10_000 });
    expect(verdicts.map(({ bound, isMet }) => [bound, isMet])).toEqual([
      [60, true],
      [3, false],
    ]);
  });

  test('costs what a deploy with viewers takes more than one without', () => {
    const without = { ready_s: 10, cpu_s: 4, longest_stall_ms: 40, idle_cpu_percent: 1 };
    const watched = { ready_s: 10.2, cpu_s: 4.1, longest_stall_ms: 50, idle_cpu_percent: 3 };
    expect(viewersCost(without, watched, 20)).toEqual({
      stall_ratio: 1.25,
      deploy_change_percent: 2,
      cpu_change_percent: 2.5,
      viewer_idle_cpu_percent: 0.1,
    });
  });
});
