// The memory of a claim's actor: the claim, its pool and template, the Sandboxes that it controls,
// and what people and metrics were told of it.
import type { ActorKey } from '../../contract/address.ts';
import type { CommonEvent } from '../../contract/events.ts';
import { ownSeen, recorded, resolved, withErrors } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import { keyIn } from '../../contract/view.ts';
import type { Reading } from '../../contract/view.ts';
import { conditionsOf, conditionStatus } from '../../kubernetes/conditions.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { Rule } from '../../statechart/region.ts';
import type { StepResult } from '../../statechart/step.ts';
import type { ObservedPolicy } from '../objects/belongings.ts';
import { isCold, type ObservedClaim } from '../objects/claim.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import type { ObservedTemplate } from '../objects/template.ts';
import type { AgentSandboxInput, AgentSandboxSettings } from '../settings.ts';
import { assignmentFailure, sandboxesOfClaim, templateOfPool } from '../views/claims.ts';
import type { AssignmentFailureRead, ControlledRead, PoolTemplateRead } from '../views/claims.ts';
import { sandboxByName, templateByName } from '../views/objects.ts';
import type { SandboxRead, TemplateRead } from '../views/objects.ts';
import { started, type Searches, found, listed } from './search.ts';

export interface ClaimContext {
  readonly key: ActorKey;
  readonly settings: AgentSandboxSettings;
  readonly claim: ObservedClaim | undefined;
  readonly isGone: boolean;
  readonly errors: FailureLog;
  /** Name of the template of its pool; undefined: no such pool is known. */
  readonly templateName: string | undefined;
  readonly template: ObservedTemplate | undefined;
  /** One at most, but for what a race between two pools may leave. */
  readonly controlled: readonly ObservedSandbox[];
  /** Of a name that is its own, while it controls none. */
  readonly named: ObservedSandbox | undefined;
  /** Of the name that older versions gave to a policy for each claim. */
  readonly policy: ObservedPolicy | undefined;
  /** Why its pool cannot give it the Sandbox that it is to have. */
  readonly failure: string | undefined;
  readonly searches: Searches;
  /** When this actor reconciled it first. */
  readonly seenAt: EpochMs | undefined;
  /** What this actor has seen of its status: what follows is news. */
  readonly was: { readonly unbound: boolean; readonly unready: boolean; readonly ready: boolean };
  /** When it was ready first, as far as this actor knows. */
  readonly firstReadyAt: EpochMs | undefined;
  /** What was said or counted, each once. */
  readonly told: ReadonlySet<string>;
}

export type ClaimEvent =
  | CommonEvent
  | { readonly type: 'claim.observed'; readonly observed: ObservedClaim }
  | { readonly type: 'claim.gone'; readonly uid: string }
  | { readonly type: 'policy.observed' | 'policy.gone'; readonly observed: ObservedPolicy }
  | AssignmentFailureRead
  | ControlledRead
  | PoolTemplateRead
  | SandboxRead
  | TemplateRead;

export type Result = StepResult<ClaimContext>;
export type Step = Rule<ClaimContext, ObservedClaim, Result>;
export type Query<R> = Rule<ClaimContext, ObservedClaim, R>;

export const startContext = ({ key, settings }: AgentSandboxInput): ClaimContext => ({
  key,
  settings,
  claim: undefined,
  isGone: false,
  errors: [],
  templateName: undefined,
  template: undefined,
  controlled: [],
  named: undefined,
  policy: undefined,
  failure: undefined,
  searches: started,
  seenAt: undefined,
  was: { unbound: false, unready: false, ready: false },
  firstReadyAt: undefined,
  told: new Set(),
});

/** What it needs of others depends on what it has: nothing by name while it controls a Sandbox. */
export function readings(
  { templateName, controlled }: ClaimContext,
  claim: ObservedClaim,
): readonly Reading[] {
  const name = claim.bound ?? (isCold(claim) ? claim.name : undefined);
  return [
    { view: sandboxesOfClaim, key: claim.uid },
    { view: templateOfPool, key: keyIn(claim, claim.pool) },
    ...(templateName === undefined
      ? []
      : [{ view: templateByName, key: keyIn(claim, templateName) }]),
    ...(controlled.length > 0 ? [] : [{ view: assignmentFailure, key: claim.uid }]),
    ...(controlled.length > 0 || name === undefined
      ? []
      : [{ view: sandboxByName, key: keyIn(claim, name) }]),
  ];
}

export const isReadyClaim = ({ status }: ObservedClaim): boolean =>
  conditionStatus(conditionsOf(status), 'Ready') === 'True';

/** This actor has seen it become ready. */
export const isNewlyReady = ({ was }: Pick<ClaimContext, 'was'>, claim: ObservedClaim): boolean =>
  was.unready && isReadyClaim(claim);

/** The next context, or the same one where the event is no news. */
export function reduce(context: ClaimContext, event: ClaimEvent): ClaimContext {
  const { searches } = context;
  switch (event.type) {
    case 'claim.observed':
      return withClaim(context, event.observed);
    case 'claim.gone':
      return context.claim?.uid === event.uid ? { ...context, isGone: true } : context;
    case 'templateOfPool.read':
      return withPool(context, event.value);
    case 'templateByName.read':
      return withTemplate(context, event);
    case 'sandboxesOfClaim.read': {
      const controlled = event.value ?? [];
      return { ...context, controlled, searches: found(searches, 'sandbox') };
    }
    case 'sandboxByName.read':
      return { ...context, named: event.value };
    case 'assignmentFailure.read':
      return { ...context, failure: event.value };
    case 'policy.observed':
      return { ...context, policy: event.observed };
    case 'policy.gone':
      return context.policy === undefined ? context : { ...context, policy: undefined };
    case 'objects.listed':
      return { ...context, searches: listed(searches, event) };
    case 'effect.done':
      return withDone(context, event);
    case 'effect.failed':
      return withErrors(context, recorded(context.errors, event));
    default:
      return context;
  }
}

function withClaim(context: ClaimContext, claim: ObservedClaim): ClaimContext {
  const seen = ownSeen(context, context.claim, claim);
  if (seen === undefined) return context;
  const { was } = context;
  const isReady = isReadyClaim(claim);
  return {
    ...context,
    ...seen,
    claim,
    was: {
      unbound: was.unbound || claim.bound === undefined,
      unready: was.unready || (!isReady && !was.ready),
      ready: was.ready || isReady,
    },
  };
}

/** The answer to the status that says Ready comes when it is ready (2.6.2); a reconcile may come
 *  much later. */
function withDone(
  context: ClaimContext,
  { op, ref, now }: Extract<CommonEvent, { type: 'effect.done' }>,
): ClaimContext {
  const next = withErrors(context, resolved(context.errors, ref));
  const { claim, firstReadyAt = now } = next;
  const isTold = op === 'status' && claim !== undefined && isNewlyReady(next, claim);
  return isTold && firstReadyAt !== next.firstReadyAt ? { ...next, firstReadyAt } : next;
}

/** Of another template nothing is known yet. */
function withPool(context: ClaimContext, templateName: string | undefined): ClaimContext {
  const { searches, template } = context;
  const next = templateName === undefined ? searches : found(searches, 'pool');
  return {
    ...context,
    templateName,
    template: template?.name === templateName ? template : undefined,
    searches: found(next, 'template'),
  };
}

function withTemplate(context: ClaimContext, { value }: TemplateRead): ClaimContext {
  const { searches, templateName } = context;
  if (value !== undefined && value.name !== templateName) return context;
  return { ...context, template: value, searches: found(searches, 'template') };
}
