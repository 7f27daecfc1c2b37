// What a PodClique wants now: the phases of plan/ in order, each seeing the choices of those
// before. Called at every settle; says everything anew, since the runtime drops what is under way.
import { announce } from '../errorbook.ts';
import type { ErrorEntry } from '../errorbook.ts';
import { keepFinalizer } from '../grove/finalizer.ts';
import { idle, runPhases } from '../phases.ts';
import { livePods } from './context.ts';
import type { CliqueContext, Phase, Standing, Step } from './context.ts';
import type { CliqueFact } from './facts.ts';
import { askBase, baseDeadline } from './plan/base.ts';
import { planClaims } from './plan/claims.ts';
import { drain } from './plan/drain.ts';
import { fill } from './plan/fill.ts';
import { markPods } from './plan/mark.ts';
import { awaitPodGroup, podGroupDeadline } from './plan/podgroup.ts';
import { release } from './plan/release.ts';
import { removeDoomed } from './plan/remove.ts';
import { replaceFinished } from './plan/replace.ts';
import { shrink } from './plan/shrink.ts';
import { repeatDeadline, tellGang, tellLeaving } from './plan/tell.ts';
import { countPods, statusOf, urgencyOf } from './status.ts';
import type { EpochMs, Intent } from '../vocabulary.ts';

/** Of a PodClique that lives. */
const phases: readonly Phase[] = [
  holdOn,
  replaceFinished,
  shrink,
  removeDoomed,
  planClaims,
  askBase,
  awaitPodGroup,
  fill,
  release,
  markPods,
  tellGang,
  tellErrors,
  tellLoss,
  writeStatus,
  standing,
  wake,
];

/** Of one that is being deleted. Nobody reads its status any more. */
const lastPhases: readonly Phase[] = [tellLeaving, drain, markPods, tellErrors];

/** Intents in order, and what the context must remember. */
export function plan(context: CliqueContext, now: EpochMs): Step {
  const { clique } = context;
  if (clique === undefined) return idle;
  return runPhases(clique.deleting ? lastPhases : phases, context, clique, now);
}

const refOf = (clique: CliqueFact) =>
  ({ kind: 'PodClique', namespace: clique.namespace, name: clique.name }) as const;

function writeStatus(context: CliqueContext, clique: CliqueFact, now: EpochMs): Step {
  const status = statusOf(context, clique, now);
  const urgency = urgencyOf(clique, status);
  const intent: Intent = {
    type: 'writeStatus',
    ref: refOf(clique),
    reason: `${String(status['readyReplicas'])} of ${clique.replicas} pods ready`,
    uid: clique.uid,
    status,
    urgency,
  };
  return { intents: [intent], changes: {} };
}

function holdOn(_context: CliqueContext, clique: CliqueFact): Step {
  return { intents: keepFinalizer(clique), changes: {} };
}

function tellErrors(context: CliqueContext, clique: CliqueFact): Step {
  const told = announce(context.errors, { ...refOf(clique), uid: clique.uid }, eventReason);
  const changes = told.book === context.errors ? {} : { errors: told.book };
  return { intents: told.intents, changes };
}

const isOnPod = ({ ref }: ErrorEntry): boolean => ref.kind === 'Pod';

/** Reason of the Warning that goes with a failed write: Grove's; it has none for gates. */
function eventReason(entry: ErrorEntry): string {
  if (!isOnPod(entry)) return 'PodCliqueCreateOrUpdateFailed';
  if (entry.op === 'patch') return 'PodGateRemovalFailed';
  return entry.op === 'create' ? 'PodCreateFailed' : 'PodDeleteFailed';
}

/** Losing all scheduled pods must be visible at once (spec controllers 10.1 rule 34). */
function tellLoss(context: CliqueContext, clique: CliqueFact): Step {
  const { scheduled } = countPods(context, clique);
  if (scheduled > 0)
    return { intents: [], changes: context.isLossTold ? { isLossTold: false } : {} };
  if (context.isLossTold || clique.observed.scheduledReplicas === 0) return idle;
  const intent: Intent = {
    type: 'recordEvent',
    regarding: { ...refOf(clique), uid: clique.uid },
    severity: 'Warning',
    reason: 'AllScheduledReplicasLost',
    note: `None of the ${clique.observed.scheduledReplicas} scheduled pods is left`,
  };
  return { intents: [intent], changes: { isLossTold: true } };
}

function standing(context: CliqueContext, clique: CliqueFact): Step {
  const now = standingOf(context, clique);
  return now === context.standing ? idle : { intents: [], changes: { standing: now } };
}

function standingOf(context: CliqueContext, clique: CliqueFact): Standing {
  const counts = countPods(context, clique);
  if (counts.ready >= clique.minAvailable) return 'available';
  if (context.chosen.size === 0 && livePods(context, clique).length >= clique.replicas) {
    return 'starting';
  }
  return counts.replicas > 0 ? 'filling' : 'waiting';
}

/** One deadline for all: to tell or to ask again, to wait no longer, or to replace the next
 *  finished pod. */
function wake(context: CliqueContext, _clique: CliqueFact, now: EpochMs): Step {
  const times = [
    repeatDeadline(context),
    baseDeadline(context),
    podGroupDeadline(context, now),
    ...context.replaceAt.values(),
  ];
  const next = times.reduce<EpochMs | null>(
    (least, at) => (at === null || (least !== null && least <= at) ? least : at),
    null,
  );
  if (next === context.wakeAt) return idle;
  return {
    intents: [{ type: 'wakeAt', name: 'clique', at: next }],
    changes: { wakeAt: next },
  };
}
