// The life of a SandboxWarmPool: its chart, the steps in the order in which they run, and what
// people are told of it. It says what changed alone, as it may have ten thousand members: what the
// runtime drops comes back as `effect.retry`.
import { keyIn } from '../../contract/view.ts';
import { defineBehaviour } from '../../statechart/define.ts';
import { nameHash } from '../objects/name-hash.ts';
import type { ObservedPool } from '../objects/pool.ts';
import type { AgentSandboxInput } from '../settings.ts';
import { templateByName } from '../views/objects.ts';
import { ordinalsOfPool } from '../views/ordinals.ts';
import { orphansOfPool } from '../views/orphans.ts';
import { startErrors } from '../views/start-errors.ts';
import { startContext, type PoolContext, type PoolEvent } from './context.ts';
import {
  explainDraining,
  explainFilling,
  explainRefused,
  explainReplacing,
  explainSourceless,
  explainTerminating,
  fine,
  view,
} from './explain.ts';
import { reduce } from './reduce.ts';
import { writeStatus } from './status.ts';
import { announce } from './steps/announce.ts';
import { createMembers } from './steps/refill.ts';
import { chooseExcess, chooseStale, deleteChosen, judgeUnready } from './steps/remove.ts';
import { labelMembers, tendOrphans } from './steps/tend.ts';
import { ready, supplyRegion } from './supply.ts';

const active = ['active'];

export const sandboxWarmPool = defineBehaviour<
  PoolContext,
  ObservedPool,
  PoolEvent,
  AgentSandboxInput
>({
  kind: 'sandboxwarmpool',
  controller: 'sandboxwarmpool-controller',
  own: { of: ({ pool }) => pool, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  reads: ({ refill }, pool) => [
    ...(refill.next === undefined
      ? [{ view: ordinalsOfPool, key: keyIn(pool, pool.name) }]
      : []),
    { view: templateByName, key: keyIn(pool, pool.template) },
    { view: orphansOfPool, key: keyIn(pool, nameHash(pool.name)) },
    { view: startErrors, key: keyIn(pool, nameHash(pool.name)) },
  ],
  chart: { active: { regions: { supply: supplyRegion } } },
  steps: [
    { do: judgeUnready, in: active },
    { do: chooseStale, in: active },
    { do: chooseExcess, in: active },
    { do: deleteChosen, in: active },
    { do: tendOrphans, in: active },
    { do: labelMembers, in: active },
    { do: createMembers, in: active },
    { do: announce, in: active },
  ],
  conditions: { Ready: ready },
  status: writeStatus,
  explain: {
    terminating: explainTerminating,
    'active.supply.draining': explainDraining,
    'active.supply.replacing': explainReplacing,
    'active.supply.sourceless': explainSourceless,
    'active.supply.refused': explainRefused,
    active: explainFilling,
  },
  fine,
  view,
  hasNothing: ({ members }) => members.size === 0,
});
