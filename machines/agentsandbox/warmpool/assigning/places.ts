// One claim in one place: what puts it there, and takes it away from wherever it was. Used where
// something is heard (reduce.ts) and where it is decided (serve.ts).
import { isOfNamesake } from './assigning.ts';
import type { Assigning, AssigningContext, Assignment, Waiting } from './assigning.ts';

/** The context with this change, where what is kept of the member of this name depends on whether
 *  it is assigned. */
export type WithMember<C extends AssigningContext> = (
  context: C,
  sandbox: string,
  change: Pick<AssigningContext, 'assigning'>,
) => C;

export const change = <C extends AssigningContext>(
  context: C,
  assigning: Partial<Assigning>,
): C => ({
  ...context,
  assigning: { ...context.assigning, ...assigning },
});

export const knownOf = (
  { arrived, waiting, refused, assignments }: Assigning,
  name: string,
): Waiting | Assignment | undefined =>
  assignments.get(name) ?? waiting.get(name) ?? arrived.get(name) ?? refused.get(name);

/** In the place of what was known of the claim; it is due. A Sandbox that is assigned to another
 *  one stays that one's. */
export function withAssignment<C extends AssigningContext>(
  context: C,
  assignment: Assignment,
  withMember: WithMember<C>,
): C {
  const { claim, sandbox, phase } = assignment;
  const { name } = claim;
  const before = context.assigning.assignments.get(name);
  const isOther = before !== undefined && before.sandbox !== sandbox;
  const from = isOther ? withoutClaim(context, name, withMember) : context;
  const { assigning, members } = from;
  const { waiting, arrived, refused, order, looking, searched, bySandbox } = assigning;
  const isLost = phase === 'stored' && !members.has(sandbox);
  const isSecond = phase === 'stored' && (bySandbox.get(sandbox) ?? name) !== name;
  const isRead = isLost || isSecond || (phase === 'settled' && claim.assigned !== name);
  const isHeld = phase !== 'settled' && isInHand(from, assignment);
  const next: Assigning = {
    ...assigning,
    waiting: waiting.delete(name),
    order: order.remove(name),
    arrived: arrived.delete(name),
    refused: refused.delete(name),
    assignments: assigning.assignments.set(name, assignment),
    bySandbox: bySandbox.has(sandbox) ? bySandbox : bySandbox.set(sandbox, name),
    inHand: isHeld ? assigning.inHand.set(sandbox, true) : assigning.inHand.delete(sandbox),
    due: phase === 'settled' ? assigning.due.delete(name) : assigning.due.set(name, true),
    looking: isRead ? looking.set(name, true) : looking.delete(name),
    searched: isLost && before?.phase === 'stored' ? searched : searched.delete(name),
  };
  return withMember(from, sandbox, { assigning: next });
}

/** Its member is about to be taken over: it counts among those that hold up other claims. */
export function isInHand(context: AssigningContext, { sandbox, isFailing }: Assignment): boolean {
  const member = context.members.get(sandbox);
  return member !== undefined && !isFailing && !isOfNamesake(context, member);
}

/** Nothing is known of the claim any more, and its member is free again if it is still one. */
export function withoutClaim<C extends AssigningContext>(
  context: C,
  name: string,
  withMember: WithMember<C>,
): C {
  const { assigning } = context;
  const known = knownOf(assigning, name);
  if (known === undefined) return context;
  const assignment = assigning.assignments.get(name);
  const { bySandbox } = assigning;
  const isHolder = assignment !== undefined && bySandbox.get(assignment.sandbox) === name;
  const next: Assigning = {
    ...assigning,
    waiting: assigning.waiting.delete(name),
    order: assigning.order.remove(name),
    arrived: assigning.arrived.delete(name),
    refused: assigning.refused.delete(name),
    assignments: assigning.assignments.delete(name),
    bySandbox: isHolder ? bySandbox.delete(assignment.sandbox) : bySandbox,
    inHand: isHolder ? assigning.inHand.delete(assignment.sandbox) : assigning.inHand,
    due: isHolder ? dueBesides(assigning, assignment) : assigning.due.delete(name),
    looking: assigning.looking.delete(name),
    searched: assigning.searched.delete(name),
    ...nothingToTell(assigning, known.claim.uid),
  };
  if (assignment === undefined) return { ...context, assigning: next };
  return withMember(context, assignment.sandbox, { assigning: next });
}

/** What the claim was told is over. */
const nothingToTell = ({ told, toTell }: Assigning, uid: string): Partial<Assigning> =>
  told.has(uid) ? { told: told.delete(uid), toTell: toTell.set(uid, undefined) } : {};

/** It is told why a write for it fails. */
export const withFailureOf = <C extends AssigningContext>(
  context: C,
  { uid }: { readonly uid: string },
  failure: string,
): C => {
  const { told, toTell } = context.assigning;
  return change(context, { told: told.set(uid, true), toTell: toTell.set(uid, failure) });
};

/** Others to which the same Sandbox is assigned: who wins is seen on it, and they may be next. */
export const lookingFor = (
  { looking, assignments }: Assigning,
  sandbox: string,
): readonly string[] => looking.keys().filter((name) => assignments.get(name)?.sandbox === sandbox);

const dueBesides = (assigning: Assigning, { claim, sandbox }: Assignment): Assigning['due'] =>
  lookingFor(assigning, sandbox)
    .filter((name) => name !== claim.name)
    .reduce((due, name) => due.set(name, true), assigning.due.delete(claim.name));
