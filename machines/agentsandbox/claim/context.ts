// The memory of a sandboxclaim actor.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { ownSeen, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedClaim } from '../objects/claim.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '../settings.ts';

export interface ClaimContext {
  readonly key: ActorKey;
  readonly settings: AgentSandboxSettings;
  readonly claim: ObservedClaim | undefined;
  readonly isGone: boolean;
  readonly errors: FailureLog;
}

export type ClaimEvent =
  | CommonEvent
  | { readonly type: 'claim.observed'; readonly observed: ObservedClaim }
  | { readonly type: 'claim.gone'; readonly uid: string };

export type Result = StepResult<ClaimContext>;
export type Step = Rule<ClaimContext, ObservedClaim, Result>;

export const startContext = ({ key, settings }: AgentSandboxInput): ClaimContext => ({
  key,
  settings,
  claim: undefined,
  isGone: false,
  errors: [],
});

/** The next context, or the same one where the event is no news. */
export function reduce(context: ClaimContext, event: ClaimEvent): ClaimContext {
  switch (event.type) {
    case 'claim.observed': {
      const seen = ownSeen(context, context.claim, event.observed);
      return seen === undefined ? context : { ...context, ...seen, claim: event.observed };
    }
    case 'claim.gone':
      return context.claim?.uid === event.uid ? { ...context, isGone: true } : context;
    case 'effect.done':
      return withErrors(context, resolved(context.errors, event.ref));
    case 'effect.failed':
      return withErrors(context, recorded(context.errors, event));
    default:
      return context;
  }
}
