// What `/livez` and `/readyz` ask of the leases. An API server that is away is no reason to restart
// a process: it would find the same server away. Made by process.ts.
import type { KeeperState } from '#actors/shards/lease/keeper.ts';
import type { Check } from '#src/http/probes.ts';

export interface LeaseChecks {
  /** Fails when renewals are not even tried any more. */
  readonly live: Check;
  /** Passes while this process is a member. */
  readonly ready: Check;
}

export function leaseChecks(
  state: () => Pick<KeeperState, 'isMember' | 'problem' | 'sinceAttemptMs'>,
  durationSeconds: number,
): LeaseChecks {
  return {
    live: {
      name: 'leases',
      run: () => {
        const { sinceAttemptMs = 0 } = state();
        if (sinceAttemptMs < durationSeconds * 1000) return undefined;
        return `no renewal was tried for ${Math.round(sinceAttemptMs / 1000)} s`;
      },
    },
    ready: {
      name: 'leases',
      run: () => {
        const { isMember, problem } = state();
        if (isMember) return undefined;
        return problem === '' ? 'is no member yet' : `is no member yet: ${problem}`;
      },
    },
  };
}
