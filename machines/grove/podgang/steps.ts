// The steps of a PodGang: to write its spec, and to say what of it fails. That of its PodGroup is
// in podgroup.ts.
import { keyIn } from '../../contract/view.ts';
import { at, text } from '../../kubernetes/json.ts';
import type { Json, JsonObject } from '../../kubernetes/objects.ts';
import type { Rule } from '../../statechart/region.ts';
import { idle } from '../../statechart/step.ts';
import type { StepResult } from '../../statechart/step.ts';
import { announceErrorsOf, resolved } from '../failure-log.ts';
import type { ErrorEntry } from '../failure-log.ts';
import type { ObservedGang } from '../objects/podgang.ts';
import { podReferences } from '../objects/podgang.ts';
import { gangFailures } from '../views/gang-failures.ts';
import type { GangFailure } from '../views/gang-failures.ts';
import { hasRightGroups, metadataPatch, rightGroups, specPatch } from '../views/gang-template.ts';
import type { GangTemplate } from '../views/gang-template.ts';
import { isListed, wantedOf, desiredOf } from './context.ts';
import type { GangContext } from './context.ts';

type Step = Rule<GangContext, ObservedGang, StepResult<GangContext>>;

export const refOf = (gang: ObservedGang) =>
  ({ kind: 'PodGang', namespace: gang.namespace, name: gang.name }) as const;

/** This actor alone writes the spec: what the set wants, until it is shown, and the pods. */
export const writeSpec: Step = (context, gang) => {
  const stale = gang.groups
    .map(({ name }) => name)
    .filter((name) => wantedOf(context, name) !== undefined && !isListed(context, name));
  // What was refused with the template is tried without it: pods wait for their list.
  const isRefused = stale.length > 0 && failureOf(context) !== undefined;
  const template = isRefused ? undefined : templateNow(context, gang);
  const patch = patchOf(context, gang, template, stale);
  if (patch === undefined) return shown(context, gang);
  const reason = stale.length > 0 ? `list the pods of ${stale.join(', ')}` : 'as the set wants it';
  const { uid, resourceVersion } = gang;
  // A list is replaced as a whole.
  const version = at(patch, 'spec', 'podgroups') === undefined ? {} : { resourceVersion };
  return {
    intents: [{ type: 'patchObject', ref: refOf(gang), reason, patch, uid, ...version }],
    changes: {},
    waits:
      template === undefined
        ? []
        : [{ say: () => [`PodGang ${gang.name} is about to be written: ${reason}`] }],
  };
};

/** All is as it should be, so what failed before is over. */
function shown(context: GangContext, gang: ObservedGang): StepResult<GangContext> {
  const errors = resolved(context.errors, refOf(gang), 'patch');
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

function patchOf(
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
const eventReason = (entry: ErrorEntry) =>
  isOnGang(entry) ? 'PodGangCreateOrUpdateFailed' : 'PodGroupSyncFailed';

const isOnGang = ({ ref }: ErrorEntry): boolean => ref.kind === 'PodGang';

export const announceErrors: Step = ({ errors }, gang) =>
  announceErrorsOf(errors, { ...refOf(gang), uid: gang.uid }, eventReason);

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
