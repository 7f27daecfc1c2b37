// The first days of ComputeDomains: workloads, daemons and nodes come and go, daemons write rows
// themselves, and the controller has all faults of the other days. The long tests go on.
import { describe, expect, it } from 'vitest';
import { cliqueDay } from '../cliques/run.ts';
import { passCliqueDays, range, shortDays } from './pass-seeds.ts';

passCliqueDays(range(1, shortDays));

describe('A simulated day of cliques', () => {
  it('is the same day twice', { timeout: 120_000 }, async () => {
    const [first, second] = [await cliqueDay(3), await cliqueDay(3)];
    expect(first.hash).toBe(second.hash);
    expect(first.requests).toBe(second.requests);
  });
});
