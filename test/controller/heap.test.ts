// A heap is told to be compact at the moment when it is large, in a word that V8 knows.
import { execFileSync } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { compactFlag, compactOnceLarge } from '#src/controller/heap.ts';

describe('A heap', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('is left to V8 until it is large, and told once to be compact', () => {
    let megabytes = 60;
    const compact = vi.fn<() => void>();
    compactOnceLarge(() => megabytes * 2 ** 20, compact);
    vi.advanceTimersByTime(60_000);
    expect(compact).not.toHaveBeenCalled();
    megabytes = 200;
    vi.advanceTimersByTime(1_000);
    expect(compact).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(60_000);
    expect(compact).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('V8 knows the flag, and would not say if it did not', () => {
  const known = execFileSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  expect(known).toContain(`  ${compactFlag} `);
});
