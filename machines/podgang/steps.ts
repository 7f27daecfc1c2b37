// The steps of a PodGang: to hear from its PodCliques, to write its spec, and to tell those who
// wait for it whether it is scheduled. That of its PodGroup is in podgroup.ts.
import { isPauseOver, repeatAfter } from '../deadline.ts';
import { announceErrorsOf, struck } from '../errorbook.ts';
import type { ErrorEntry } from '../errorbook.ts';
import type { ErrorCode } from '../errors.ts';
import { at, text } from '../json.ts';
import { longestWishMs } from '../limits.ts';
import type { Json, JsonObject } from '../objects.ts';
import type { Rule } from '../statechart/region.ts';
import { idle } from '../statechart/step.ts';
import type { StepResult } from '../statechart/step.ts';
import type { EpochMs } from '../vocabulary.ts';
import { isListed, mustAsk, silent, unscheduled } from './context.ts';
import type { GangContext } from './context.ts';
import type { GangFact } from './facts.ts';
import { hasRightGroups, metadataPatch, rightGroups, specPatch } from './template.ts';
import type { GangTemplate } from './template.ts';

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

/** This actor alone writes the spec: what the set wants, until it is shown, and the pods. */
export const writeSpec: Step = (context, gang, now) => {
  const { wish } = context;
  // The set may have changed its mind since.
  const isOver = wish?.until !== undefined && isPauseOver(wish.until, now, longestWishMs);
  if (isOver) return { intents: [], changes: { wish: undefined } };
  const until = wish?.until ?? now + longestWishMs;
  const stale = gang.groups
    .map(({ name }) => name)
    .filter((name) => context.reports.has(name) && !isListed(context, name));
  // What was refused with the template is tried without it: pods wait for their list.
  const isRefused = stale.length > 0 && failureOf(context) !== undefined;
  const template = isRefused ? undefined : templateNow(context);
  const patch = patchOf(context, gang, template, stale);
  if (patch === undefined) return shown(context, gang);
  const reason = stale.length > 0 ? `list the pods of ${stale.join(', ')}` : 'as the set wants it';
  const { uid, resourceVersion } = gang;
  // A list is replaced as a whole.
  const version = at(patch, 'spec', 'podgroups') === undefined ? {} : { resourceVersion };
  return {
    intents: [{ type: 'patchObject', ref: refOf(gang), reason, patch, uid, ...version }],
    ...(wish === undefined
      ? { changes: {} }
      : {
          changes: wish.until === until ? {} : { wish: { ...wish, until } },
          waits: [{ until, say: () => [`PodGang ${gang.name} is about to be written: ${reason}`] }],
        }),
  };
};

/** All is as it should be, so what failed before is over. */
function shown(context: GangContext, gang: GangFact): StepResult<GangContext> {
  const errors = struck(context.errors, refOf(gang), 'patch');
  const isSame = errors === context.errors && context.wish === undefined;
  return isSame ? idle : { intents: [], changes: { wish: undefined, errors } };
}

/** A PodClique that tells of its pods is left, whatever the set knew of it. */
function templateNow({ wish, reports }: GangContext): GangTemplate | undefined {
  const template = wish?.template;
  if (template?.groups.some(({ name, isEmptied }) => isEmptied && reports.has(name)) !== true) {
    return template;
  }
  const groups = template.groups.map((group) =>
    reports.has(group.name) ? { ...group, isEmptied: false } : group,
  );
  return { ...template, groups };
}

function patchOf(
  context: GangContext,
  gang: GangFact,
  template: GangTemplate | undefined,
  stale: readonly string[],
): JsonObject | undefined {
  const isRight = template === undefined || hasRightGroups(gang, template);
  const metadata = template && metadataPatch(gang, template);
  const spec = {
    ...(template && specPatch(gang, template)),
    ...(isRight && stale.length === 0 ? {} : { podgroups: entriesOf(context, gang, template) }),
  };
  if (metadata === undefined && Object.keys(spec).length === 0) return undefined;
  return {
    ...(metadata === undefined ? {} : { metadata }),
    ...(Object.keys(spec).length > 0 ? { spec } : {}),
  };
}

/** The list of pod groups, with the pods that their PodCliques told. */
function entriesOf(
  { reports }: GangContext,
  gang: GangFact,
  template: GangTemplate | undefined,
): Json[] {
  const entries = template ? rightGroups(gang, template) : gang.groups.map(({ raw }) => raw);
  return entries.map((entry) => {
    const names = reports.get(text(entry['name']))?.names;
    return names === undefined
      ? entry
      : { ...entry, podReferences: podReferences(gang.namespace, names) };
  });
}

/** Sorted by name, so that order alone never causes an update (spec controllers 3.1). */
export const podReferences = (namespace: string, sortedNames: readonly string[]): Json[] =>
  sortedNames.map((name) => ({ namespace, name }));

/** Reason of the Warning that goes with a failed write (spec controllers 9.3). */
const eventReason = (entry: ErrorEntry): string =>
  isOnGang(entry) ? 'PodGangCreateOrUpdateFailed' : 'PodGroupSyncFailed';

const isOnGang = ({ ref }: ErrorEntry): boolean => ref.kind === 'PodGang';

export const announceErrors: Step = ({ errors }, gang) =>
  announceErrorsOf(errors, { ...refOf(gang), uid: gang.uid }, eventReason);

/** Told while what the set wants cannot be written, for the set's status (spec api 2.4). */
export interface GangFailure {
  readonly type: 'gang.failed';
  readonly gang: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly at: EpochMs;
}

export const tellFailure: Step = (context, gang) => {
  const { wish } = context;
  const failed = failureOf(context);
  if (wish === undefined || failed === undefined) return idle;
  const { code, message, at: failedAt } = failed;
  const toldFailure = `${code} ${message}`;
  if (wish.toldFailure === toldFailure) return idle;
  const failure: GangFailure = {
    type: 'gang.failed',
    ...{ gang: gang.name, code, message, at: failedAt },
  };
  return {
    intents: [{ type: 'tell', to: context.root, message: { ...failure } }],
    changes: { wish: { ...wish, toldFailure } },
  };
};

const failureOf = ({ errors }: GangContext): ErrorEntry | undefined => errors.find(isOnGang);
