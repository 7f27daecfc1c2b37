// What the pool's actor hears of claims, of the Sandboxes that are assigned to them, and of its own
// writes on both. Nothing is decided here: what is to be looked at again becomes due.
import { isRetryable } from '../../../contract/errors.ts';
import type { CommonEvent } from '../../../contract/events.ts';
import { cut, type FailedEffect, isWorthTelling } from '../../../contract/failure-log.ts';
import { keyIn, withRead } from '../../../contract/view.ts';
import { isCold, needsOwnSandbox, type ObservedClaim } from '../../objects/claim.ts';
import type { ObservedSandbox } from '../../objects/sandbox.ts';
import type { ControlledRead } from '../../views/claims.ts';
import type { SandboxRead, TemplateRead } from '../../views/objects.ts';
import { errorOfClaim } from '../../binding/metadata.ts';
import { patienceMs } from './assigning.ts';
import type { AssigningContext, Assignment, Phase, Waiting } from './assigning.ts';
import {
  change,
  isInHand,
  knownOf,
  lookingFor,
  withAssignment,
  withFailureOf,
  withoutClaim,
  type WithMember,
} from './places.ts';

export type AssigningEvent =
  | CommonEvent
  | { readonly type: 'claim.listed' | 'claim.left'; readonly observed: ObservedClaim }
  /** After the members are up to date. */
  | { readonly type: 'member.observed' | 'member.left'; readonly observed: ObservedSandbox }
  | SandboxRead
  | ControlledRead
  | TemplateRead;

/** Events come by routes and views: `reduce` lets be what it does not know. */
interface Reducer<C> {
  /** The next context, or the same one where the event is no news of claims. */
  reduce(context: C, event: { readonly type: string }): C;
}

export function reducerBy<C extends AssigningContext>(withMember: WithMember<C>): Reducer<C> {
  const reduce = (context: C, event: AssigningEvent): C => {
    const { assigning } = context;
    switch (event.type) {
      case 'claim.listed':
        return withClaim(context, event.observed, withMember);
      case 'claim.left': {
        const { name, uid } = event.observed;
        return knownOf(assigning, name)?.claim.uid === uid
          ? withoutClaim(context, name, withMember)
          : context;
      }
      case 'member.observed':
      case 'member.left':
        return withSandbox(context, event.observed.name);
      case 'sandboxesOfClaim.read':
        return withControlled(context, event);
      case 'sandboxByName.read':
        return withFound(context, event);
      case 'templateByName.read':
        return withoutRefusals(context);
      case 'objects.listed':
        return withList(context, event);
      case 'effect.failed':
        return withFailure(context, event, withMember);
      case 'effect.retry':
        return again(context, event.ref);
      default:
        return context;
    }
  };
  return { reduce };
}

/** It is to get a Sandbox, or is getting one: the pool has to do with it. */
const isOpen = ({ settings }: AssigningContext, claim: ObservedClaim): boolean =>
  !claim.deleting && claim.bound === undefined && errorOfClaim(claim, settings) === undefined;

function withClaim<C extends AssigningContext>(
  context: C,
  claim: ObservedClaim,
  withMember: WithMember<C>,
): C {
  const { name, uid } = claim;
  const known = knownOf(context.assigning, name);
  if (known?.claim.uid === uid && known.claim.resourceVersion === claim.resourceVersion) {
    return context;
  }
  if (!isOpen(context, claim)) return withoutClaim(context, name, withMember);
  const isSame = known?.claim.uid === uid;
  const before = isSame ? context : withoutClaim(context, name, withMember);
  const assignment = before.assigning.assignments.get(name);
  const seenAt = isSame ? known.seenAt : undefined;
  if (claim.assigned !== undefined) {
    const sandbox = claim.assigned;
    const phase = phaseOf(before, claim, assignment);
    const isSameWrite = assignment?.sandbox === sandbox && assignment.phase === phase;
    const isFailing = isSameWrite && assignment.isFailing;
    const sandboxUid = claim.assignedUid;
    const shown = { claim, sandbox, sandboxUid, phase, seenAt, isFailing };
    return withAssignment(before, shown, withMember);
  }
  if (assignment?.phase === 'asked') {
    return withAssignment(before, { ...assignment, claim }, withMember);
  }
  const waits = before.assigning.waiting.get(name);
  if (waits !== undefined) {
    const { waiting } = before.assigning;
    return change(before, { waiting: waiting.set(name, { ...waits, claim }) });
  }
  // Its spec is what it was, and so is the answer.
  const refused = before.assigning.refused.get(name);
  if (refused !== undefined && refused.claim.generation === claim.generation) {
    return withRefused(before, { ...refused, claim });
  }
  return arriving(withoutClaim(before, name, withMember), { claim, seenAt });
}

/** What a claim shows, whoever has stored it (R5). What is to be taken off stays so. */
function phaseOf(
  { members }: AssigningContext,
  claim: ObservedClaim,
  before: Assignment | undefined,
): Phase {
  const { name, assigned } = claim;
  const isSame = before?.sandbox === assigned && before?.claim.assignedUid === claim.assignedUid;
  if (before !== undefined && isSame) {
    if (before.phase === 'clearing') return before.phase;
    const isSameSpec = before.claim.generation === claim.generation;
    if (before.phase === 'settled' && isSameSpec) return before.phase;
  }
  const isSettled = isCold(claim) && (needsOwnSandbox(claim) || !members.has(name));
  return isSettled ? 'settled' : 'stored';
}

const arriving = <C extends AssigningContext>(context: C, one: Waiting): C =>
  change(context, { arrived: context.assigning.arrived.set(one.claim.name, one) });

/** A Sandbox that is assigned was seen, or is no member any more. */
function withSandbox<C extends AssigningContext>(context: C, sandbox: string): C {
  const { assigning, members } = context;
  const { looking, due, inHand } = assigning;
  const name = assigning.bySandbox.get(sandbox);
  const assignment = name === undefined ? undefined : assigning.assignments.get(name);
  if (name === undefined || assignment === undefined) return context;
  const { phase } = assignment;
  if (phase === 'settled') return context;
  const isMember = members.has(sandbox);
  const held = isInHand(context, assignment) ? inHand.set(sandbox, true) : inHand.delete(sandbox);
  if (phase !== 'stored') return held === inHand ? context : change(context, { inHand: held });
  return change(context, {
    inHand: held,
    due: due.set(name, true),
    looking: isMember ? looking.delete(name) : looking.set(name, true),
    searched: assigning.searched.delete(name),
  });
}

function withControlled<C extends AssigningContext>(
  context: C,
  { key, value = [] }: ControlledRead,
): C {
  const { controlling } = context.assigning;
  if (controlling.has(key) === value.length > 0) return context;
  const next = new Set(controlling);
  if (value.length > 0) next.add(key);
  else next.delete(key);
  return change(context, { controlling: next });
}

/** Keys are of the namespace of the pool. */
function withFound<C extends AssigningContext>(context: C, { key, value }: SandboxRead): C {
  const { found, due } = context.assigning;
  const sandbox = key.slice(keyIn(context.key, '').length);
  const names = lookingFor(context.assigning, sandbox);
  if (names.length === 0 && !found.has(sandbox)) return context;
  return change(context, {
    found: withRead(found, sandbox, value),
    due: names.reduce((all, name) => all.set(name, true), due),
  });
}

/** Another template may agree with what they ask for. */
function withoutRefusals<C extends AssigningContext>(context: C): C {
  const { refused, arrived } = context.assigning;
  if (refused.size === 0) return context;
  const all = refused.entries().reduce((map, [name, one]) => map.set(name, one), arrived);
  return refused
    .entries()
    .reduce(
      (next, [name]) => change(next, { refused: next.assigning.refused.delete(name) }),
      change(context, { arrived: all }),
    );
}

const searchPrefix = 'assigned ';

/** All who search share one list. */
export const searchId = (claim: string): string => `${searchPrefix}${claim}`;

function withList<C extends AssigningContext>(
  context: C,
  { id, error }: Extract<CommonEvent, { type: 'objects.listed' }>,
): C {
  const name = id.slice(searchPrefix.length);
  const { looking, searched, due } = context.assigning;
  if (!id.startsWith(searchPrefix) || !looking.has(name)) return context;
  if (error !== undefined) return change(context, { searchError: error });
  return change(context, {
    searched: searched.set(name, true),
    searchError: undefined,
    due: due.set(name, true),
  });
}

/** Passing ones are tried again soon, and what comes of that is seen (R2). Any other holds up no
 *  other claim, and its own is told. */
function withFailure<C extends AssigningContext>(
  context: C,
  event: FailedEffect,
  withMember: WithMember<C>,
): C {
  const { ref, code, now, retryAt } = event;
  const pauseMs = retryAt === null ? Infinity : retryAt - now;
  if (isRetryable(code) && pauseMs < patienceMs) return context;
  const { assignments, bySandbox } = context.assigning;
  const name = ref.kind === 'Sandbox' ? bySandbox.get(ref.name) : ref.name;
  const assignment = name === undefined ? undefined : assignments.get(name);
  if (assignment === undefined || !isOfAssigning(event)) return context;
  const { claim, phase, seenAt } = assignment;
  const isRefused = phase === 'asked' && !isRetryable(code);
  const next = isRefused
    ? withRefused(withoutClaim(context, claim.name, withMember), { claim, seenAt })
    : withFailing(context, assignment);
  return isWorthTelling(event) ? withFailureOf(next, claim, sayFailure(assignment, event)) : next;
}

const isOfAssigning = ({ op, ref }: FailedEffect): boolean =>
  op === 'patch' && (ref.kind === 'Sandbox' || ref.kind === 'SandboxClaim');

/** An assignment that was refused was surely not stored: its member is free for others (Q28). */
const withRefused = <C extends AssigningContext>(context: C, one: Waiting): C =>
  change(context, { refused: context.assigning.refused.set(one.claim.name, one) });

function sayFailure({ sandbox }: Assignment, { ref, code, message }: FailedEffect): string {
  const what =
    ref.kind === 'Sandbox'
      ? `sandbox "${sandbox}" could not be taken over`
      : `the assignment of sandbox "${sandbox}" could not be written`;
  return `${what} (${code}): ${cut(message)}`;
}

/** Its write may wait for long, and holds up no other claim: it is tried again, and its member is
 *  nobody else's (R2). */
function withFailing<C extends AssigningContext>(context: C, assignment: Assignment): C {
  const { inHand, assignments } = context.assigning;
  const failing = { ...assignment, isFailing: true };
  return change(context, {
    inHand: inHand.delete(assignment.sandbox),
    assignments: assignments.set(assignment.claim.name, failing),
  });
}

function again<C extends AssigningContext>(
  context: C,
  { kind, name }: Extract<CommonEvent, { type: 'effect.retry' }>['ref'],
): C {
  const { bySandbox, assignments, refused, due } = context.assigning;
  if (kind === 'SandboxClaim') {
    const waits = refused.get(name);
    if (waits !== undefined) {
      return arriving(change(context, { refused: refused.delete(name) }), waits);
    }
  }
  const claim = kind === 'Sandbox' ? bySandbox.get(name) : kind === 'SandboxClaim' ? name : '';
  const phase = claim === undefined ? undefined : assignments.get(claim)?.phase;
  if (claim === undefined || phase === undefined || phase === 'settled') return context;
  return change(context, { due: due.set(claim, true) });
}
