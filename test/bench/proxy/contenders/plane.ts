// The activator's data plane for contenders that are ours: one revision whose pods are the
// backends, all ready; told by instructions, as its actor does it.
import { microsOf } from '#machines/activator/time.ts';
import { mustWait } from '#src/activator/admission/types.ts';
import { RevisionPlane } from '#src/activator/data-plane.ts';
import type { FindRequests, Requests } from '#src/activator/served-revision.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { inTurn } from './given.ts';
import { requestHeaders } from './names.ts';

const revision = {
  kind: 'revision',
  namespace: requestHeaders['knative-serving-namespace'],
  name: requestHeaders['knative-serving-revision'],
} as const;

/** `limit`: requests that a backend takes at once; 0: any number. */
export function planeOf(backends: readonly number[], limit: number): RevisionPlane {
  const plane = new RevisionPlane({
    clock: systemClock,
    random: systemRandom,
    probe: () => Promise.resolve({ isOk: true, id: undefined }),
    log: () => {},
    signal: () => {},
  });
  const limits = { limit, maxScale: backends.length };
  plane.carryOut(revision, { type: 'openTable', policy: undefined, ...limits });
  const pods = backends.map((port) => {
    return { dest: `127.0.0.1:${port}`, id: `pod-${port}`, state: 'ready' as const };
  });
  plane.carryOut(revision, { type: 'setPods', pods, version: 1, now: microsOf(0) });
  return plane;
}

/** What admission costs is what is left out here: pods in turn, and nobody counts. */
export function withoutAdmission(backends: readonly number[]): FindRequests {
  const { admission, ...requests } = found(planeOf(backends, 0));
  const nextPod = inTurn(backends.map((_, index) => index));
  const off: Requests = {
    ...requests,
    admission: {
      table: admission.table,
      admit: nextPod,
      cancel: () => false,
      complete: () => {},
    },
    wait: () => {
      throw new Error(`nobody waits: admit never gives ${mustWait}`);
    },
    failed: () => {},
  };
  return { find: () => off };
}

export function found(plane: FindRequests): Requests {
  const requests = plane.find(revision.namespace, revision.name);
  if (requests === undefined) throw new Error('the revision is not there');
  return requests;
}
