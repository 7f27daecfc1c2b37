// What a PodCliqueScalingGroup wants now: the phases in order, each seeing the choices of those
// before. Called at every settle; says everything anew, since the runtime drops what is under way.
// Gang termination of a replica and rolling updates will be phases between surplus and errors.
import { announce } from '../errorbook.ts';
import { keepFinalizer } from '../grove/finalizer.ts';
import { idle, runPhases } from '../phases.ts';
import type { PhaseOf } from '../phases.ts';
import type { EpochMs, Intent } from '../vocabulary.ts';
import { sourceOf } from './context.ts';
import type { GroupContext, Step } from './context.ts';
import type { GroupFact } from './facts.ts';
import { planClaims } from './plan/claims.ts';
import { drain } from './plan/drain.ts';
import { planMembers } from './plan/members.ts';
import { removeSurplus } from './plan/surplus.ts';
import { eventReason, standingOf, statusOf, sumUp, urgencyOf } from './status.ts';

type Phase = PhaseOf<GroupContext, GroupFact>;

/** Of a group that lives. */
const phases: readonly Phase[] = [
  holdOn,
  removeSurplus,
  planClaims,
  planMembers,
  tellErrors,
  tellLoss,
  writeStatus,
];

/** Of one whose set is not there, so that nothing is known of its members. */
const lonePhases: readonly Phase[] = [holdOn, removeSurplus, tellErrors];

/** Of one that is being deleted. Nobody reads its status any more. */
const lastPhases: readonly Phase[] = [drain, tellErrors];

/** Intents in order, and what the context must remember. */
export function plan(context: GroupContext, now: EpochMs): Step {
  const { group } = context;
  if (group === undefined) return idle;
  return runPhases(phasesOf(context, group), context, group, now);
}

function phasesOf(context: GroupContext, group: GroupFact): readonly Phase[] {
  if (group.deleting) return lastPhases;
  return sourceOf(context, group) === undefined ? lonePhases : phases;
}

const refOf = (group: GroupFact) =>
  ({ kind: 'PodCliqueScalingGroup', namespace: group.namespace, name: group.name }) as const;

function holdOn(_context: GroupContext, group: GroupFact): Step {
  return { intents: keepFinalizer(group), changes: {} };
}

function tellErrors(context: GroupContext, group: GroupFact): Step {
  const told = announce(context.errors, { ...refOf(group), uid: group.uid }, eventReason);
  const changes = told.book === context.errors ? {} : { errors: told.book };
  return { intents: told.intents, changes };
}

/** Losing all scheduled replicas must be visible at once (spec controllers 10.1 rule 34). */
function tellLoss(context: GroupContext, group: GroupFact): Step {
  const { scheduled } = sumUp(context, group);
  const before = group.observed.scheduledReplicas;
  if (scheduled > 0) {
    return context.isLossTold ? { intents: [], changes: { isLossTold: false } } : idle;
  }
  if (context.isLossTold || before === 0) return idle;
  const intent: Intent = {
    type: 'recordEvent',
    regarding: { ...refOf(group), uid: group.uid },
    severity: 'Warning',
    reason: 'AllScheduledReplicasLost',
    note: `None of the ${before} scheduled replicas is left`,
  };
  return { intents: [intent], changes: { isLossTold: true } };
}

function writeStatus(context: GroupContext, group: GroupFact, now: EpochMs): Step {
  const sums = sumUp(context, group);
  const status = statusOf(context, group, sums, now);
  const intent: Intent = {
    type: 'writeStatus',
    ref: refOf(group),
    reason: `${sums.available} of ${group.replicas} replicas available`,
    uid: group.uid,
    status,
    urgency: urgencyOf(group, status),
  };
  const standing = standingOf(group, sums);
  return { intents: [intent], changes: standing === context.standing ? {} : { standing } };
}
