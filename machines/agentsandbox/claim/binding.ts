// What a claim's actor makes of what it knows: which Sandbox is the claim's, whether it may have
// one, and what it would be made of. The states of the chart (behaviour.ts), its conditions and
// steps are made from these.
import { text } from '../../kubernetes/json.ts';
import { conditionsOf } from '../../kubernetes/conditions.ts';
import { isExpired } from '../binding/expiry.ts';
import { errorOfClaim } from '../binding/metadata.ts';
import { isCold, needsOwnSandbox, type ObservedClaim } from '../objects/claim.ts';
import type { ObservedSandbox } from '../objects/sandbox.ts';
import { remembered } from '../../statechart/remembered.ts';
import { coldSandbox } from './cold.ts';
import type { ClaimContext, Query } from './context.ts';
import { isRefused, type Refused } from './refused.ts';

/** Of those that it controls: the one that its status names, then the one that is assigned, then
 *  the one of its name (spec agent-sandbox 2.4.4, A to C). */
export function sandboxOf(
  { controlled }: Pick<ClaimContext, 'controlled'>,
  { bound, assigned, name }: ObservedClaim,
): ObservedSandbox | undefined {
  if (controlled.length <= 1) return controlled[0];
  const names = [bound, assigned, name];
  return (
    names.map((one) => controlled.find((each) => each.name === one)).find(Boolean) ?? controlled[0]
  );
}

/** Its condition Ready says so already, and the API server has that: what follows may follow. */
export const isMarked = ({ status }: ObservedClaim): boolean =>
  conditionsOf(status).some(
    ({ type, reason }) => type === 'Ready' && text(reason) === 'ClaimExpired',
  );

export const isToMark: Query<boolean> = (_, claim, now) =>
  isExpired(claim, now) && !isMarked(claim);

export const isOver: Query<boolean> = (_, claim, now) => isExpired(claim, now);

/** A template that says another thing is of interest before there is a Sandbox: afterwards that
 *  keeps what it has (G8, G9). */
export const metadataError: Query<string | undefined> = (context, claim) => {
  const mayStart = sandboxOf(context, claim) === undefined && mayHaveNone(claim);
  return errorOfClaim(claim, context.settings, mayStart ? context.template : undefined);
};

/** No member is promised to it. */
const mayHaveNone = (claim: ObservedClaim): boolean =>
  claim.assigned === undefined || isCold(claim);

export const isBound: Query<boolean> = (context, claim) => sandboxOf(context, claim) !== undefined;

/** Its status names one that it does not control as far as is known. */
export const isLost: Query<boolean> = (_, { bound }) => bound !== undefined;

export const isPoolless: Query<boolean> = ({ templateName }) => templateName === undefined;
export const isTemplateless: Query<boolean> = ({ template }) => template === undefined;

/** Its pool has not decided, or is about to take over what it has promised. */
export const isWaiting: Query<boolean> = ({ named }, claim) =>
  !isCold(claim) ||
  (named?.controller?.kind === 'SandboxWarmPool' &&
    named.controller.name === claim.pool &&
    !needsOwnSandbox(claim));

/** A Sandbox of its name that it does not control is never taken over (R8). */
export const isForeign: Query<boolean> = ({ named }) => named !== undefined;

export const sayForeign = (claim: ObservedClaim, sandbox = claim.name): string =>
  `sandbox "${sandbox}" is not controlled by claim "${claim.name}". ` +
  'Please use a different claim name or delete the sandbox manually';

/** The Sandbox that it would start cold with; the same for the same claim and template. */
export const madeFor = ({ template }: ClaimContext, claim: ObservedClaim) =>
  template === undefined ? undefined : coldFor(claim, template);

const coldFor = remembered(coldSandbox);

export function refusalOf(context: ClaimContext, claim: ObservedClaim): Refused | undefined {
  const result = madeFor(context, claim);
  return result !== undefined && isRefused(result) ? result : undefined;
}

export const isRefusedFor =
  (reason: Refused['reason']): Query<boolean> =>
  (context, claim) =>
    refusalOf(context, claim)?.reason === reason;
