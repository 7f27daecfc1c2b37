// The memory of a sandboxtemplate actor.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { ownSeen, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedTemplate } from '../objects/template.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '../settings.ts';

export interface TemplateContext {
  readonly key: ActorKey;
  readonly settings: AgentSandboxSettings;
  readonly template: ObservedTemplate | undefined;
  readonly isGone: boolean;
  readonly errors: FailureLog;
}

export type TemplateEvent =
  | CommonEvent
  | { readonly type: 'template.observed'; readonly observed: ObservedTemplate }
  | { readonly type: 'template.gone'; readonly uid: string };

export type Result = StepResult<TemplateContext>;
export type Step = Rule<TemplateContext, ObservedTemplate, Result>;

export const startContext = ({ key, settings }: AgentSandboxInput): TemplateContext => ({
  key,
  settings,
  template: undefined,
  isGone: false,
  errors: [],
});

/** The next context, or the same one where the event is no news. */
export function reduce(context: TemplateContext, event: TemplateEvent): TemplateContext {
  switch (event.type) {
    case 'template.observed': {
      const seen = ownSeen(context, context.template, event.observed);
      return seen === undefined ? context : { ...context, ...seen, template: event.observed };
    }
    case 'template.gone':
      return context.template?.uid === event.uid ? { ...context, isGone: true } : context;
    case 'effect.done':
      return withErrors(context, resolved(context.errors, event.ref));
    case 'effect.failed':
      return withErrors(context, recorded(context.errors, event));
    default:
      return context;
  }
}
