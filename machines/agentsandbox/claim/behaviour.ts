// The life of a SandboxClaim. Its pool decides which Sandbox it gets (warmpool/assigning/); here it
// is told what becomes of that, starts cold where the pool says so, and ends when its time is over.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { isCold, type ObservedClaim } from '../objects/claim.ts';
import type { AgentSandboxInput } from '../settings.ts';
import * as is from './binding.ts';
import { isReadyClaim, readings, reduce, startContext } from './context.ts';
import type { ClaimContext, ClaimEvent } from './context.ts';
import { announceSandbox, isUnstamped } from './observability.ts';
import { recordStartUp, stampReadiness } from './observability.ts';
import { explain, readyRows } from './say.ts';
import { writeStatus } from './status.ts';
import { announceExpiry, awaitDeadline, createSandbox, deletePolicy, endExpired } from './steps.ts';
import { migrateLabel, rememberSight, removeOthers, searchPool, searchSandbox } from './steps.ts';
import { searchTemplate, updateMetadata } from './steps.ts';

/** In this order; what is wrong with the claim itself comes before what is missing. */
const binding = classified<ClaimContext, ObservedClaim>({
  expiring: is.isToMark,
  expired: is.isOver,
  invalid: (context, claim, now) => is.metadataError(context, claim, now) !== undefined,
  bound: is.isBound,
  searching: (context, claim, now) =>
    is.isLost(context, claim, now) && !context.searches.sandbox.isDone,
  lost: is.isLost,
  searchingPool: (context, claim, now) =>
    is.isPoolless(context, claim, now) && !context.searches.pool.isDone,
  poolless: is.isPoolless,
  refused: (context, claim, now) =>
    context.failure !== undefined && is.isWaiting(context, claim, now),
  waiting: is.isWaiting,
  foreign: is.isForeign,
  searchingTemplate: (context, claim, now) =>
    is.isTemplateless(context, claim, now) && !context.searches.template.isDone,
  templateless: is.isTemplateless,
  envRefused: is.isRefusedFor('EnvVarsInjectionRejected'),
  volumesRefused: is.isRefusedFor('VolumeClaimTemplatesError'),
  unbuildable: is.isRefusedFor('ReconcilerError'),
  failing: ({ errors }) => errors.length > 0,
  creating: otherwise,
});

/** Of its first readiness: behind the status that says so. */
const record = classified<ClaimContext, ObservedClaim>({
  unstamped: isUnstamped,
  complete: otherwise,
});

const active = ['active'];
const bound = ['active.binding.bound'];

export const sandboxClaim = defineBehaviour<
  ClaimContext,
  ObservedClaim,
  ClaimEvent,
  AgentSandboxInput
>({
  kind: 'sandboxclaim',
  controller: 'sandboxclaim-controller',
  own: { of: ({ claim }) => claim, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  reads: readings,
  chart: { active: { regions: { binding, record } } },
  steps: [
    { do: rememberSight, in: active },
    { do: announceExpiry, in: ['active.binding.expiring'] },
    { do: endExpired, in: ['active.binding.expired'] },
    { do: searchSandbox, in: ['active.binding.searching', 'active.binding.expired'] },
    { do: searchPool, in: ['active.binding.searchingPool'] },
    { do: searchTemplate, in: ['active.binding.searchingTemplate'] },
    { do: createSandbox, in: ['active.binding.creating', 'active.binding.failing'] },
    { do: updateMetadata, in: bound },
    { do: removeOthers, in: bound },
    { do: migrateLabel, in: bound },
    { do: announceSandbox, in: bound },
    { do: stampReadiness, in: ['active.record.unstamped'] },
    { do: recordStartUp, in: ['active.record.complete'] },
    { do: deletePolicy, in: ['active.record.complete'] },
    { do: awaitDeadline, in: active },
  ],
  conditions: { Ready: { region: 'binding', rows: readyRows } },
  status: writeStatus,
  explain,
  fine: () => 'its Sandbox is ready',
  view: (context) => ({
    resourceVersion: context.claim?.resourceVersion ?? '',
    sandbox: (context.claim && is.sandboxOf(context, context.claim)?.name) ?? '',
    assigned: context.claim?.assigned ?? '',
  }),
  hasNothing: () => true,
  // Its pool decides for it, or it has what it needs.
  yields: (_, claim) => (claim.bound === undefined ? !isCold(claim) : isReadyClaim(claim)),
  saysAll: true,
});
