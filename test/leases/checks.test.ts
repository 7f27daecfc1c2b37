// What the probes say of the leases: a process is restarted for its own faults, not for those of
// the API server.
import { expect, it } from 'vitest';
import { leaseChecks } from '#src/leases/leases.ts';

const renewed = { isMember: true, problem: '', sinceAttemptMs: 100, sinceRenewalMs: 100 };
const checks = (state: Partial<typeof renewed>) =>
  leaseChecks(() => ({ ...renewed, ...state }), 15);

it('a process is live as long as it tries to renew, whatever comes of it', () => {
  expect(checks({ problem: 'connection refused' }).live.run()).toBeUndefined();
  expect(checks({ sinceAttemptMs: 14_999 }).live.run()).toBeUndefined();
  expect(checks({ sinceAttemptMs: 15_000 }).live.run()).toBe('no renewal was tried for 15 s');
  expect(checks({ sinceAttemptMs: 16_400 }).live.run()).toBe('no renewal was tried for 16 s');
  expect(checks({ sinceAttemptMs: 3_600_000 }).live.run()).toContain('for 3600 s');
  expect(
    leaseChecks(() => ({ ...renewed, sinceAttemptMs: undefined }), 15).live.run(),
  ).toBeUndefined();
});

it('a process that has neither tried nor renewed yet is live and ready, however short leases are', () => {
  const state = { isMember: true, problem: '', sinceAttemptMs: undefined };
  const { live, ready } = leaseChecks(() => ({ ...state, sinceRenewalMs: undefined }), 0.001);
  expect([live.run(), ready.run()]).toEqual([undefined, undefined]);
});

it('a process is ready while it is a member', () => {
  expect(checks({}).ready.run()).toBeUndefined();
  expect(checks({ isMember: false }).ready.run()).toBe('is no member yet');
  const problem = 'leases is forbidden (403 Forbidden)';
  expect(checks({ isMember: false, problem }).ready.run()).toBe(`is no member yet: ${problem}`);
});

it('a process that could not renew for as long as a lease lasts is not ready, and says why', () => {
  expect(checks({ sinceRenewalMs: 14_999 }).ready.run()).toBeUndefined();
  expect(checks({ sinceRenewalMs: 15_000 }).ready.run()).toBe('could not renew its lease for 15 s');
  const lost = { sinceRenewalMs: 21_000, problem: 'connection refused' };
  expect(checks(lost).ready.run()).toBe('could not renew its lease for 21 s: connection refused');
  expect(checks(lost).live.run()).toBeUndefined();
});
