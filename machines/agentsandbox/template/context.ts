// The memory of a sandboxtemplate actor: its object, and the NetworkPolicies that it owns or that
// have the name of its own.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { ownSeen, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedPolicy } from '../objects/belongings.ts';
import { policyName } from '../objects/policy.ts';
import type { ObservedTemplate } from '../objects/template.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '../settings.ts';

export interface TemplateContext {
  readonly key: ActorKey;
  readonly settings: AgentSandboxSettings;
  readonly template: ObservedTemplate | undefined;
  readonly isGone: boolean;
  /** Under the name of its own, whoever owns it. */
  readonly policy: ObservedPolicy | undefined;
  /** It was told that the name is taken. */
  readonly hasToldForeign: boolean;
  readonly errors: FailureLog;
}

export type TemplateEvent =
  | CommonEvent
  | { readonly type: 'template.observed'; readonly observed: ObservedTemplate }
  | { readonly type: 'template.gone'; readonly uid: string }
  | { readonly type: 'policy.observed' | 'policy.gone'; readonly observed: ObservedPolicy };

export type Result = StepResult<TemplateContext>;
export type Step = Rule<TemplateContext, ObservedTemplate, Result>;

export const startContext = ({ key, settings }: AgentSandboxInput): TemplateContext => ({
  key,
  settings,
  template: undefined,
  isGone: false,
  policy: undefined,
  hasToldForeign: false,
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
    case 'policy.observed':
    case 'policy.gone':
      return withPolicy(context, event.observed, event.type === 'policy.gone');
    case 'effect.done':
      return withErrors(context, resolved(context.errors, event.ref));
    case 'effect.failed':
      return withErrors(context, recorded(context.errors, event));
    default:
      return context;
  }
}

/** The one of its name alone: what it controls under another is none of its making. */
function withPolicy(
  context: TemplateContext,
  observed: ObservedPolicy,
  isGone: boolean,
): TemplateContext {
  const { policy, key, errors } = context;
  if (observed.name !== policyName(key.name)) return context;
  if (isGone) return policy?.uid === observed.uid ? { ...context, policy: undefined } : context;
  return withErrors({ ...context, policy: observed }, resolved(errors, observed));
}
