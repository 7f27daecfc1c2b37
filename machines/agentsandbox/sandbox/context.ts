// The memory of a sandbox actor.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { ownSeen, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '../settings.ts';

export interface SandboxContext {
  readonly key: ActorKey;
  readonly settings: AgentSandboxSettings;
  readonly sandbox: ObservedSandbox | undefined;
  readonly isGone: boolean;
  readonly errors: FailureLog;
}

export type SandboxEvent =
  | CommonEvent
  | { readonly type: 'sandbox.observed'; readonly observed: ObservedSandbox }
  | { readonly type: 'sandbox.gone'; readonly uid: string };

export type Result = StepResult<SandboxContext>;
export type Step = Rule<SandboxContext, ObservedSandbox, Result>;

export const startContext = ({ key, settings }: AgentSandboxInput): SandboxContext => ({
  key,
  settings,
  sandbox: undefined,
  isGone: false,
  errors: [],
});

/** The next context, or the same one where the event is no news. */
export function reduce(context: SandboxContext, event: SandboxEvent): SandboxContext {
  switch (event.type) {
    case 'sandbox.observed': {
      const seen = ownSeen(context, context.sandbox, event.observed);
      return seen === undefined ? context : { ...context, ...seen, sandbox: event.observed };
    }
    case 'sandbox.gone':
      return context.sandbox?.uid === event.uid ? { ...context, isGone: true } : context;
    case 'effect.done':
      return withErrors(context, resolved(context.errors, event.ref));
    case 'effect.failed':
      return withErrors(context, recorded(context.errors, event));
    default:
      return context;
  }
}
