// The memory of a sandboxwarmpool actor.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { ownSeen, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedPool } from '../objects/pool.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '../settings.ts';

export interface PoolContext {
  readonly key: ActorKey;
  readonly settings: AgentSandboxSettings;
  readonly pool: ObservedPool | undefined;
  readonly isGone: boolean;
  readonly errors: FailureLog;
}

export type PoolEvent =
  | CommonEvent
  | { readonly type: 'pool.observed'; readonly observed: ObservedPool }
  | { readonly type: 'pool.gone'; readonly uid: string };

export type Result = StepResult<PoolContext>;
export type Step = Rule<PoolContext, ObservedPool, Result>;

export const startContext = ({ key, settings }: AgentSandboxInput): PoolContext => ({
  key,
  settings,
  pool: undefined,
  isGone: false,
  errors: [],
});

/** The next context, or the same one where the event is no news. */
export function reduce(context: PoolContext, event: PoolEvent): PoolContext {
  switch (event.type) {
    case 'pool.observed': {
      const seen = ownSeen(context, context.pool, event.observed);
      return seen === undefined ? context : { ...context, ...seen, pool: event.observed };
    }
    case 'pool.gone':
      return context.pool?.uid === event.uid ? { ...context, isGone: true } : context;
    case 'effect.done':
      return withErrors(context, resolved(context.errors, event.ref));
    case 'effect.failed':
      return withErrors(context, recorded(context.errors, event));
    default:
      return context;
  }
}
