// The steps of a PodGang: to write its spec, and to say what of it fails (that of its PodGroup is
// in podgroup.ts), and its status: condition Initialized and the phase (spec controllers 2.4, 3.3).
// Two status writes: True, when everything is there, with no False before it (write budget), and
// Running. What a scheduler wrote there is kept, conditions by type (10.2 gap 15).
import { keyIn } from '../../contract/view.ts';
import { at, text } from '../../kubernetes/json.ts';
import type { Json, JsonObject } from '../../kubernetes/objects.ts';
import type { Rule } from '../../statechart/region.ts';
import { idle, type StepResult } from '../../statechart/step.ts';
import { resolved } from '../../contract/failure-log.ts';
import type { ErrorEntry } from '../../contract/failure-log.ts';
import { podReferences, type ObservedGang } from '../objects/podgang.ts';
import {
  gangFailures,
  hasRightGroups,
  metadataPatch,
  rightGroups,
  specPatch,
} from '../views/gang-template.ts';
import type { GangFailure, GangTemplate } from '../views/gang-template.ts';
import { desiredOf, isListed, isRunning, wantedOf, type GangContext } from './context.ts';
import type { WriteStatus } from '../../contract/intents.ts';
import { withConditions } from '../../contract/supervision.ts';
import type { Condition } from '../../kubernetes/conditions.ts';
import type { EpochMs } from '../../kubernetes/time.ts';
import type { ConditionRows } from '../../statechart/define.ts';
import { placeOf } from '../objects/names.ts';
import { patchOf, statusOf } from '../../contract/object-intents.ts';

type Step = Rule<GangContext, ObservedGang, StepResult<GangContext>>;

/** This actor alone writes the spec: what the set wants, until it is shown, and the pods. */
export const writeSpec: Step = (context, gang) => {
  const stale = gang.groups
    .map(({ name }) => name)
    .filter((name) => wantedOf(context, name) !== undefined && !isListed(context, name));
  // What was refused with the template is tried without it: pods wait for their list.
  const isRefused = stale.length > 0 && failureOf(context) !== undefined;
  const template = isRefused ? undefined : templateNow(context, gang);
  const patch = wholePatch(context, gang, template, stale);
  if (patch === undefined) return shown(context, gang);
  const reason = stale.length > 0 ? `list the pods of ${stale.join(', ')}` : 'as the set wants it';
  const { resourceVersion } = gang;
  // A list is replaced as a whole.
  const version = at(patch, 'spec', 'podgroups') === undefined ? {} : { resourceVersion };
  return {
    intents: [patchOf(gang, reason, patch, version)],
    changes: {},
    waits:
      template === undefined
        ? []
        : [{ say: () => [`PodGang ${gang.name} is about to be written: ${reason}`] }],
  };
};

/** All is as it should be, so what failed before is over. */
function shown(context: GangContext, gang: ObservedGang): StepResult<GangContext> {
  const errors = resolved(context.errors, gang, 'patch');
  return errors === context.errors ? idle : { intents: [], changes: { errors } };
}

/** A PodClique that says which pods it wants is not empty, whatever the set knew of it. */
function templateNow(context: GangContext, gang: ObservedGang): GangTemplate | undefined {
  const template = desiredOf(context, gang)?.template;
  const isThere = (name: string): boolean => wantedOf(context, name) !== undefined;
  if (template?.groups.some(({ name, isEmptied }) => isEmptied && isThere(name)) !== true) {
    return template;
  }
  const groups = template.groups.map((group) =>
    isThere(group.name) ? { ...group, isEmptied: false } : group,
  );
  return { ...template, groups };
}

function wholePatch(
  context: GangContext,
  gang: ObservedGang,
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

/** The list of pod groups, with the pods that their PodCliques want. */
function entriesOf(
  context: GangContext,
  gang: ObservedGang,
  template: GangTemplate | undefined,
): Json[] {
  const entries = template ? rightGroups(gang, template) : gang.groups.map(({ raw }) => raw);
  return entries.map((entry) => {
    const names = wantedOf(context, text(entry['name']))?.names;
    return names === undefined
      ? entry
      : { ...entry, podReferences: podReferences(gang.namespace, names) };
  });
}

/** Reason of the Warning that goes with a failed write (spec controllers 9.3). */
export const eventReason = (entry: ErrorEntry) =>
  isOnGang(entry) ? 'PodGangCreateOrUpdateFailed' : 'PodGroupSyncFailed';

const isOnGang = ({ ref }: ErrorEntry): boolean => ref.kind === 'PodGang';

/** While what the set wants cannot be written. */
export const publishFailure: Step = (context, gang) => {
  const isWanted = desiredOf(context, gang) !== undefined && !gang.deleting;
  const failed = isWanted ? failureOf(context) : undefined;
  const item: GangFailure | undefined = failed && {
    gang: gang.name,
    code: failed.code,
    message: failed.message,
    at: failed.at,
  };
  const key = keyIn(gang, context.root.name);
  return { intents: [{ type: 'publish', view: gangFailures, key, item }], changes: {} };
};

const failureOf = ({ errors }: GangContext): ErrorEntry | undefined => errors.find(isOnGang);

/** Nothing is said while it collects, and what was said stays as it is. */
export const initialized: ConditionRows<GangContext, ObservedGang> = {
  region: 'initialization',
  rows: {
    complete: {
      status: 'True',
      reason: 'PodGangPodsCreated',
      message: () => 'PodGang is fully initialized',
    },
  },
};

/** Its pods carry our gate until it is initialized and its base gang is scheduled. */
const isScaled = ({ set, name }: ObservedGang): boolean => (placeOf(set, name)?.slot ?? '') !== '';

/** The whole status, or undefined while there is nothing to say. */
export function writeStatus(
  context: GangContext,
  gang: ObservedGang,
  fromStates: readonly Condition[],
  now: EpochMs,
): WriteStatus | undefined {
  const isNeeded =
    fromStates.length > 0 || gang.isInitialized || gang.status['phase'] !== undefined;
  if (!isNeeded) return undefined;
  const conditions = withConditions(gang.status, fromStates, now);
  const { conditions: _, ...others } = gang.status;
  const status = {
    ...others,
    phase: phaseOf(context, gang, gang.isInitialized || fromStates.length > 0),
    ...(conditions.length > 0 ? { conditions: [...conditions] } : {}),
  };
  return gang.isInitialized
    ? statusOf(gang, 'the pods of the gang run', status, 'lazy')
    : statusOf(gang, 'all pods of the gang exist', status, isScaled(gang) ? 'first' : 'now');
}

/**
 * Pending turns into Running once, when the minimum of its pods runs, and never back: that pods
 * were lost, their PodCliques say. What a scheduler wrote there is its own (decision 0029).
 */
function phaseOf(context: GangContext, gang: ObservedGang, isInitialized: boolean): string {
  const phase = text(gang.status['phase']) || 'Pending';
  const isOurs = phase === 'Pending' && isInitialized;
  return isOurs && isRunning(context, gang) ? 'Running' : phase;
}
