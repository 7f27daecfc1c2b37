// What a warm pool is doing, in one word, and what its condition says of it. The original has no
// conditions for warm pools: a CRD without them drops these, which loses nothing but the words.
import { cut } from '../../contract/failure-log.ts';
import { at, text } from '../../kubernetes/json.ts';
import type { ConditionRows } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { ObservedPool } from '../objects/pool.ts';
import type { PoolContext } from './context.ts';
import { staleBlueprints } from './population.ts';

/** A member, or what a member needs, cannot be created. */
export const isRefused = ({ refill, failing }: PoolContext): boolean =>
  refill.failure !== undefined || failing.size > 0;

export function sayRefused({ refill: { failure }, failing, members }: PoolContext): string {
  if (failure !== undefined) {
    return `a member could not be created (${failure.code}): ${cut(failure.message)}`;
  }
  const { name = '' } = failing.first ?? {};
  return `member ${name} could not be completed: ${cut(text(at(members.get(name)?.ready, 'message')))}`;
}

export const supplyRegion = classified<PoolContext, ObservedPool>({
  draining: ({ counts, removal }, { replicas }) =>
    counts.active > replicas || removal.causes.excess > 0,
  replacing: (context, pool) =>
    context.removal.causes.stale > 0 || staleBlueprints(context, pool).length > 0,
  full: ({ counts }, { replicas }) => counts.ready >= replicas,
  sourceless: ({ template }) => template === undefined,
  refused: isRefused,
  slowed: ({ startErrors }) => startErrors !== undefined,
  holding: ({ held }) => held.size > 0,
  filling: otherwise,
});

export const ready: ConditionRows<PoolContext, ObservedPool> = {
  region: 'supply',
  rows: {
    draining: {
      status: 'False',
      reason: 'Draining',
      message: (_, { replicas }) => `there are more members than the ${replicas} wanted`,
    },
    replacing: {
      status: 'False',
      reason: 'RollingOut',
      message: (_, { template }) =>
        `members of an older version of SandboxTemplate "${template}" are replaced`,
    },
    full: {
      status: 'True',
      reason: 'MembersReady',
      message: (_, { replicas }) => `${replicas} members are ready`,
    },
    sourceless: {
      status: 'False',
      reason: 'TemplateNotFound',
      message: (_, { template }) => `SandboxTemplate "${template}" not found`,
    },
    refused: {
      status: 'False',
      reason: 'RefillFailed',
      message: sayRefused,
    },
    slowed: {
      status: 'False',
      reason: 'StartErrors',
      message: () => 'containers of members end in StartError, so fewer start at once',
    },
    holding: {
      status: 'False',
      reason: 'Unschedulable',
      message: () => 'members cannot be scheduled; they are kept, as no other would do better',
    },
    filling: {
      status: 'False',
      reason: 'Filling',
      message: (_, { replicas }) => `fewer than ${replicas} members are ready`,
    },
  },
};
