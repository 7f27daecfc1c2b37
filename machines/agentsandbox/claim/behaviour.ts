// The life of a SandboxClaim.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { ObservedClaim } from '../objects/claim.ts';
import type { AgentSandboxInput } from '../settings.ts';
import { reduce, startContext } from './context.ts';
import type { ClaimContext, ClaimEvent } from './context.ts';

export const sandboxClaim = defineBehaviour<
  ClaimContext,
  ObservedClaim,
  ClaimEvent,
  AgentSandboxInput
>({
  kind: 'sandboxclaim',
  controller: 'sandboxclaim',
  own: { of: ({ claim }) => claim, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  chart: { active: { regions: { life: classified({ alive: otherwise }) } } },
  steps: [],
  status: () => undefined,
  explain: {},
  fine: () => 'it is as it should be',
  view: ({ claim }) => ({ resourceVersion: claim?.resourceVersion ?? '' }),
  hasNothing: () => true,
  saysAll: true,
});
