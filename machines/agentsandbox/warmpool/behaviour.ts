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
import { claims, claimsInProgress, isAwaited } from './assigning/assigning.ts';
import { explainClaims } from './assigning/explain.ts';
import { assigningReads, servingBy } from './assigning/serve.ts';
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
import { withMember } from './members.ts';
import { reduce } from './reduce.ts';
import { writeStatus } from './status.ts';
import { announce } from './steps/announce.ts';
import { createMembers } from './steps/refill.ts';
import { chooseExcess, chooseStale, deleteChosen, judgeUnready } from './steps/remove.ts';
import { labelMembers, tendOrphans } from './steps/tend.ts';
import { ready, supplyRegion } from './supply.ts';

const active = ['active'];
const { serveClaims, finishClaims } = servingBy<PoolContext>(withMember);

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
  reads: (context, pool) => [
    ...assigningReads(context),
    ...(context.refill.next === undefined && context.template !== undefined
      ? [{ view: ordinalsOfPool, key: keyIn(pool, pool.name) }]
      : []),
    { view: templateByName, key: keyIn(pool, pool.template) },
    { view: orphansOfPool, key: keyIn(pool, nameHash(pool.name)) },
    { view: startErrors, key: keyIn(pool, nameHash(pool.name)) },
  ],
  chart: { active: { regions: { supply: supplyRegion, claims } } },
  steps: [
    { do: judgeUnready, in: active },
    { do: chooseStale, in: active },
    { do: chooseExcess, in: active },
    { do: deleteChosen, in: active },
    { do: tendOrphans, in: active },
    { do: labelMembers, in: active },
    { do: serveClaims, in: ['active', 'terminating'] },
    { do: createMembers, in: active },
    { do: announce, in: active },
  ],
  whileAwaited: finishClaims,
  conditions: { Ready: ready },
  status: writeStatus,
  explain: {
    terminating: explainTerminating,
    'active.supply.draining': explainDraining,
    'active.supply.replacing': explainReplacing,
    'active.supply.sourceless': explainSourceless,
    'active.supply.refused': explainRefused,
    active: explainFilling,
    'active.claims.waiting': explainClaims,
    'active.claims.assigning': explainClaims,
    'active.claims.served': explainClaims,
  },
  fine,
  view,
  yields: (context) => !isAwaited(context),
  hasNothing: (context) => context.members.size + claimsInProgress(context) === 0,
});
