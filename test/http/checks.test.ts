// The checks that /livez makes on the process itself, with a clock and a meter of the test.
import { describe, expect, it, vi } from 'vitest';
import { clockCheck, eventLoopCheck } from '#src/http/checks.ts';

describe('The clock check', () => {
  it('fails after a jump of the wall clock in either direction and passes small steps', () => {
    let [wall, steady] = [1_000_000, 5];
    const check = clockCheck(
      () => wall,
      () => steady,
    );
    wall += 90_000;
    steady += 90_000;
    expect(check.run()).toBeUndefined();
    wall += 2_000;
    expect(check.run()).toBeUndefined();
    wall += 100_000;
    expect(check.run()).toBe('jumped by 102 s since the start');
    wall -= 300_000;
    expect(check.run()).toBe('jumped by -198 s since the start');
  });
});

describe('The event loop check', () => {
  it('fails when half of all turns of a window were too late, and recovers', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    let medianNs = 3e9;
    const check = eventLoopCheck({
      enable: () => true,
      disable: () => true,
      reset: () => undefined,
      percentile: () => medianNs,
    });
    expect(check.run()).toBeUndefined();
    vi.advanceTimersByTime(10_000);
    expect(check.run()).toBe('is late by 3000 ms (median of the last 10 s)');
    medianNs = 1e6;
    vi.advanceTimersByTime(10_000);
    expect(check.run()).toBeUndefined();
    check.close();
    vi.useRealTimers();
  });

  it('passes in a process that is not stuck, and stops measuring on close', () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const check = eventLoopCheck();
    vi.advanceTimersByTime(10_000);
    expect(check.run()).toBeUndefined();
    check.close();
    expect(vi.getTimerCount()).toBe(0);
    vi.useRealTimers();
  });
});
