// The line of growth, what it is held to, and what it says beyond: by rows of the test's making,
// whose line is known.
import { describe, expect, test } from 'vitest';
import { extrapolated } from './extrapolate.ts';
import { judgeGrowth } from './judge.ts';
import type { Growth } from './measure.ts';
import { at, errorOf, fitted } from './model.ts';
import { growthSection } from './page.ts';
import type { StoredGrowth } from './store.ts';

/** 3 ms and 20 KB a pod, 3.5 writes; each further process reads along for 1 ms a pod. */
const row = (pods: number, processes = 1, more: Partial<Growth> = {}): Growth => ({
  pods,
  processes,
  deploy_s: pods / 50,
  cpu_s: 0.5 + 0.003 * pods + 0.001 * pods * (processes - 1),
  cpu_start_s: 0.5,
  cpu_most_s: 1,
  cpu_rest: 0.01,
  rss_mb: 120 + 0.02 * pods,
  writes: 3.5 * pods,
  conflicts: 0,
  read_mb: 0.01 * pods * processes,
  apiserver_cpu_s: pods / 60,
  apiserver_rss_mb: 400 + 0.1 * pods,
  ...more,
});

const sizes = [1000, 2000, 5000, 10_000];
const rows = [row(1000, 1, { floor_cpu_s: 2 }), ...sizes.slice(1).map((pods) => row(pods))];
const verdictOf = (all: readonly Growth[], what: string) =>
  judgeGrowth(all).find((verdict) => verdict.what.includes(what))?.verdict;

describe('The line of growth', () => {
  test('goes through what lies on one, and through the middle of what does not', () => {
    const points = sizes.map((pods) => ({ pods, value: 2 + 0.5 * pods }));
    const line = fitted(points);
    expect(line.base).toBeCloseTo(2, 6);
    expect(line.slope).toBeCloseTo(0.5, 9);
    expect(at(line, 20_000)).toBeCloseTo(10_002, 6);
    const bent = fitted([...points, { pods: 10_000, value: 5_502 }]);
    expect(at(bent, 10_000)).toBeGreaterThan(5_002);
    expect(at(bent, 10_000)).toBeLessThan(5_502);
  });

  test('needs two sizes', () => {
    const point = { pods: 1000, value: 1 };
    expect(() => fitted([point, point])).toThrow('two sizes');
  });

  test('misses by a share', () => {
    expect(errorOf(115, 100)).toBeCloseTo(0.15);
    expect(errorOf(85, 100)).toBeCloseTo(0.15);
  });
});

describe('The bounds of growth', () => {
  test('are met by what grows in proportion', () => {
    const missed = judgeGrowth(rows).filter(({ verdict }) => verdict !== 'met');
    expect(missed).toEqual([]);
  });

  test('are missed by CPU that grows faster than pods, and so is the model', () => {
    const curved = rows.map((one) => ({ ...one, cpu_s: one.cpu_s * (1 + one.pods / 20_000) }));
    expect(verdictOf(curved, 'CPU a pod')).toBe('met');
    const steep = rows.map((one) => ({ ...one, cpu_s: one.cpu_s * (1 + one.pods / 5_000) }));
    expect(verdictOf(steep, 'CPU a pod')).toBe('missed');
    expect(verdictOf(steep, 'model: CPU')).toBe('missed');
    expect(verdictOf(steep, 'model: writes')).toBe('met');
  });

  test('are missed by a large process, and by a dear deploy', () => {
    const large = rows.map((one) => ({ ...one, rss_mb: one.rss_mb + 61 }));
    expect(verdictOf(large, 'memory at 1,000')).toBe('missed');
    expect(verdictOf(large, 'memory at 10,000')).toBe('met');
    expect(verdictOf([row(1000, 1, { floor_cpu_s: 1.9 })], 'in floors')).toBe('missed');
  });

  test('are not measured where sizes are missing', () => {
    const few = rows.slice(0, 2);
    expect(verdictOf(few, 'CPU a pod')).toBe('not measured');
    expect(verdictOf(few, 'model: CPU')).toBe('not measured');
    expect(verdictOf(rows.slice(1), 'in floors')).toBe('not measured');
  });
});

describe('The extrapolation', () => {
  const all = [...rows, ...sizes.map((pods) => row(pods, 3))];

  test('has what processes share once, and what each does for itself in each', () => {
    const said = extrapolated(all, { pods: 100_000, processes: 8 });
    // 50 pods a second; 2 ms a pod are shared by eight, 1 ms has each.
    expect(said?.coresEach).toBeCloseTo(50 * (0.002 / 8 + 0.001), 2);
    expect(said?.deployMinutes).toBeCloseTo(100_000 / 50 / 60, 0);
    expect(said?.watchMbPerSecond).toBeCloseTo(50 * 0.01 * 8, 1);
  });

  test('says that memory ends first, and where', () => {
    const said = extrapolated(all, { pods: 100_000, processes: 8 });
    expect(said?.podsByMemory).toBeCloseTo((1024 - 120) / 0.02, 0);
    expect(said?.first).toMatch(/^The memory of a process ends first, at 45,200 pods\./);
    const small = extrapolated(all, { pods: 40_000, processes: 8 });
    expect(small?.first).toMatch(/^No limit of a process is reached\. Writes of the API server/);
  });

  test('needs sizes of one process and of several', () => {
    expect(extrapolated(rows)).toBeUndefined();
  });
});

describe('The section of growth', () => {
  const machine = { cpu: 'a CPU', cores: 2, memory_gib: 24, system: 'Linux 6' };
  const stored = (result: Growth): StoredGrowth => ({
    cluster: 'real',
    commit: 'abc',
    date: '2026-11-23',
    machine,
    versions: { Kubernetes: '1.35.5' },
    result,
  });

  test('has a row for each size, the bounds, and calls what is beyond extrapolation', () => {
    const text = growthSection([...rows, row(1000, 3), row(5000, 3)].map(stored)).join('\n');
    expect(text).toContain('| 10,000 | 1 | 200 | 3.05 |');
    expect(text).toContain('| 5,000 | 3 |');
    expect(text).toContain('### Extrapolation: 100,000 pods over 8 processes');
    expect(text).toContain('The memory of a process ends first');
  });

  test('says what is missing', () => {
    expect(growthSection([]).join()).toContain('Not measured yet');
    expect(growthSection([stored(row(1000))]).join('\n')).toContain('not measured |');
  });
});
