// The oracle over what answers told: a precondition that failed is not named again before the
// object was looked at.
import { describe, expect, it } from 'vitest';
import { Store } from '#src/devcluster/api/store/store.ts';
import type { KubeRequest } from '#src/kube/transport/transport.ts';
import { pods } from '../users/addresses.ts';
import { ReportedAnswers } from './reported-answers.ts';

const path = `${pods}/a`;
const patch = (resourceVersion: string): KubeRequest => ({
  method: 'PATCH',
  path,
  body: { metadata: { uid: 'u', resourceVersion } },
});
const conflict = { status: 409, headers: {}, body: { kind: 'Status', reason: 'Conflict' } };

/** What is said of these requests after the first patch was refused. */
function judged(...requests: readonly KubeRequest[]): readonly string[] {
  const violations: string[] = [];
  const violate = (what: string) => violations.push(what);
  const told = new ReportedAnswers({ store: new Store(), violate, isMisled: () => false });
  told.judge(patch('7'));
  told.hears(patch('7'), conflict);
  for (const request of requests) told.judge(request);
  return violations;
}

describe('After a conflict a process', () => {
  it('may not try again with the same version', () => {
    expect(judged(patch('7'))).toEqual([
      `PATCH ${path} names UID u and version 7 again, though that was a conflict`,
    ]);
  });

  it('may try again when it has read the object', () => {
    expect(judged({ method: 'GET', path }, patch('7'))).toEqual([]);
  });

  it('may try again with a version that a watch has shown', () => {
    expect(judged(patch('8'))).toEqual([]);
  });
});
