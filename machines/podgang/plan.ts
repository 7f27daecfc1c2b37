// What a PodGang wants now: to hear from its PodCliques, to list their pods, a PodGroup where its
// scheduler needs one, to say when it is complete, and to tell those who wait for it whether it is
// scheduled. Called at every settle.
import { repeatAfter } from '../deadline.ts';
import { announce } from '../errorbook.ts';
import type { ErrorEntry } from '../errorbook.ts';
import type { Json, JsonObject } from '../objects.ts';
import { idle, runPhases } from '../phases.ts';
import type { PhaseOf, StepOf } from '../phases.ts';
import { placeOf } from '../podcliqueset/names.ts';
import type { EpochMs } from '../vocabulary.ts';
import { isListed, isScheduled, mustAsk, silent, unscheduled } from './context.ts';
import type { GangContext } from './context.ts';
import type { GangFact, PodGroupFact } from './facts.ts';
import { dropPodGroups, keepPodGroup } from './podgroup.ts';
import { statusOf } from './status.ts';

type Step = StepOf<GangContext>;

type Phase = PhaseOf<GangContext, GangFact>;

const phases: readonly Phase[] = [
  askCliques,
  listPods,
  keepPodGroup,
  tellWaiters,
  tellErrors,
  writeStatus,
  wake,
];

/** Of one that is being deleted. */
const lastPhases: readonly Phase[] = [dropPodGroups, tellWaiters];

/** Intents in order, and what the context must remember. */
export function plan(context: GangContext, now: EpochMs): Step {
  const { gang } = context;
  if (gang === undefined) return idle;
  return runPhases(gang.deleting ? lastPhases : phases, context, gang, now);
}

const refOf = (gang: GangFact) =>
  ({ kind: 'PodGang', namespace: gang.namespace, name: gang.name }) as const;

function askCliques(context: GangContext, gang: GangFact, now: EpochMs): Step {
  const mustHear = mustAsk(context, now);
  if (!mustHear && !context.isDoubted) return idle;
  const names = context.isDoubted ? unscheduled(context) : silent(context);
  return {
    intents: names.map((name) => ({
      type: 'tell',
      to: { kind: 'podclique', namespace: gang.namespace, name },
      message: { type: 'clique.asked', gang: gang.name },
    })),
    changes: {
      isDoubted: false,
      ...(mustHear ? { asked: repeatAfter(context.asked, now) } : {}),
    },
  };
}

/**
 * What a base gang tells the PodCliques of its scaled gangs: the first time that it is scheduled,
 * when that changes, and when they ask. Who was told nothing takes it for not scheduled.
 */
export interface BaseTold {
  readonly type: 'base.told';
  readonly gang: string;
  readonly isScheduled: boolean;
}

function tellWaiters(context: GangContext, gang: GangFact): Step {
  const message: BaseTold = {
    type: 'base.told',
    gang: gang.name,
    isScheduled: isScheduled(context),
  };
  const stale = [...context.waiters].filter(([, told]) => told !== message.isScheduled);
  if (stale.length === 0) return idle;
  const waiters = new Map(context.waiters);
  for (const [name] of stale) waiters.set(name, message.isScheduled);
  return {
    intents: stale.map(([name]) => ({
      type: 'tell',
      to: { kind: 'podclique', namespace: gang.namespace, name },
      message: { ...message },
    })),
    changes: { waiters },
  };
}

/** Only the references belong to this actor: the other fields of each entry are kept as read. */
function listPods(context: GangContext, gang: GangFact): Step {
  const stale = gang.groups.filter(
    ({ name }) => context.reports.has(name) && !isListed(context, name),
  );
  if (stale.length === 0) return idle;
  const podgroups = gang.groups.map((group) =>
    stale.includes(group) ? withPods(context, gang, group) : group.raw,
  );
  return {
    intents: [
      {
        type: 'patchObject',
        ref: refOf(gang),
        reason: `list the pods of ${stale.map(({ name }) => name).join(', ')}`,
        patch: { spec: { podgroups } },
        uid: gang.uid,
        resourceVersion: gang.resourceVersion,
      },
    ],
    changes: {},
  };
}

/** Sorted by name, so that order alone never causes an update (spec controllers 3.1). */
function withPods(context: GangContext, gang: GangFact, group: PodGroupFact): JsonObject {
  const names = context.reports.get(group.name)?.names ?? [];
  return { ...group.raw, podReferences: podReferences(gang.namespace, names) };
}

export const podReferences = (namespace: string, sortedNames: readonly string[]): Json[] =>
  sortedNames.map((name) => ({ namespace, name }));

/** Reason of the Warning that goes with a failed write (spec controllers 9.3). */
const eventReason = (entry: ErrorEntry): string =>
  isOnGang(entry) ? 'PodGangCreateOrUpdateFailed' : 'PodGroupSyncFailed';

const isOnGang = ({ ref }: ErrorEntry): boolean => ref.kind === 'PodGang';

function tellErrors(context: GangContext, gang: GangFact): Step {
  const told = announce(context.errors, { ...refOf(gang), uid: gang.uid }, eventReason);
  const changes = told.book === context.errors ? {} : { errors: told.book };
  return { intents: told.intents, changes };
}

/** Its pods carry our gate until it is initialized and its base gang is scheduled. */
const isScaled = ({ set, name }: GangFact): boolean => (placeOf(set, name)?.rest ?? '') !== '';

function writeStatus(context: GangContext, gang: GangFact, now: EpochMs): Step {
  const status = statusOf(context, gang, now);
  if (status === undefined) return idle;
  const reason = 'all pods of the gang exist';
  const urgency = isScaled(gang) ? 'first' : 'now';
  return {
    intents: [{ type: 'writeStatus', ref: refOf(gang), reason, uid: gang.uid, status, urgency }],
    changes: {},
  };
}

function wake(context: GangContext): Step {
  const at = silent(context).length > 0 ? (context.asked?.at ?? null) : null;
  if (at === context.wakeAt) return idle;
  return { intents: [{ type: 'wakeAt', name: 'gang', at }], changes: { wakeAt: at } };
}
