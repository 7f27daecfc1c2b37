// The life of a SandboxWarmPool.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { ObservedPool } from '../objects/pool.ts';
import type { AgentSandboxInput } from '../settings.ts';
import { reduce, startContext } from './context.ts';
import type { PoolContext, PoolEvent } from './context.ts';

export const sandboxWarmPool = defineBehaviour<
  PoolContext,
  ObservedPool,
  PoolEvent,
  AgentSandboxInput
>({
  kind: 'sandboxwarmpool',
  controller: 'sandboxwarmpool',
  own: { of: ({ pool }) => pool, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  chart: { active: { regions: { life: classified({ alive: otherwise }) } } },
  steps: [],
  status: () => undefined,
  explain: {},
  fine: () => 'it is as it should be',
  view: ({ pool }) => ({ resourceVersion: pool?.resourceVersion ?? '' }),
  hasNothing: () => true,
  saysAll: true,
});
