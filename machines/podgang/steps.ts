// The steps of a PodGang: to hear from its PodCliques, to list their pods, and to tell those who
// wait for it whether it is scheduled. That of its PodGroup is in podgroup.ts.
import { repeatAfter } from '../deadline.ts';
import { announceErrorsOf } from '../errorbook.ts';
import type { ErrorEntry } from '../errorbook.ts';
import type { Json, JsonObject } from '../objects.ts';
import type { Rule } from '../statechart/region.ts';
import { idle } from '../statechart/step.ts';
import type { StepResult } from '../statechart/step.ts';
import { isListed, mustAsk, silent, unscheduled } from './context.ts';
import type { GangContext } from './context.ts';
import type { GangFact, PodGroupFact } from './facts.ts';

type Step = Rule<GangContext, GangFact, StepResult<GangContext>>;

export const refOf = (gang: GangFact) =>
  ({ kind: 'PodGang', namespace: gang.namespace, name: gang.name }) as const;

export const askCliques: Step = (context, gang, now) => {
  const mustHear = mustAsk(context, now);
  const asked = mustHear ? repeatAfter(context.asked, now) : context.asked;
  const waits = silent(context).length > 0 && asked !== undefined ? [{ until: asked.at }] : [];
  if (!mustHear && !context.isDoubted) return { ...idle, waits };
  const names = context.isDoubted ? unscheduled(context) : silent(context);
  return {
    intents: names.map((name) => ({
      type: 'tell',
      to: { kind: 'podclique', namespace: gang.namespace, name },
      message: { type: 'clique.asked', gang: gang.name },
    })),
    changes: {
      isDoubted: false,
      ...(mustHear ? { asked } : {}),
    },
    waits,
  };
};

/**
 * What a base gang tells the PodCliques of its scaled gangs: the first time that it is scheduled,
 * when that changes, and when they ask. Who was told nothing takes it for not scheduled.
 */
export interface BaseTold {
  readonly type: 'base.told';
  readonly gang: string;
  readonly isScheduled: boolean;
}

export const tellScheduled: Step = (context, gang) => tellWaiters(context, gang, true);
export const tellUnscheduled: Step = (context, gang) => tellWaiters(context, gang, false);

function tellWaiters(
  context: GangContext,
  gang: GangFact,
  isScheduled: boolean,
): StepResult<GangContext> {
  const message: BaseTold = { type: 'base.told', gang: gang.name, isScheduled };
  const stale = [...context.waiters].filter(([, told]) => told !== isScheduled);
  if (stale.length === 0) return idle;
  const waiters = new Map(context.waiters);
  for (const [name] of stale) waiters.set(name, isScheduled);
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
export const listPods: Step = (context, gang) => {
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
};

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

export const announceErrors: Step = ({ errors }, gang) =>
  announceErrorsOf(errors, { ...refOf(gang), uid: gang.uid }, eventReason);
