// Step of a PodGang: the PodGroup of its scheduler backend is created, compared and patched, and
// one of a backend that it is no more for goes (spec controllers 8.4, 10.2 gap 29). What cannot be
// done is told as an Event and by `why`; the pods' gates stay meanwhile (podclique/context.ts).
import type { Intent } from '../../contract/intents.ts';
import { isOrphaning } from '../../kubernetes/deletion.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { idle, type StepResult } from '../../statechart/step.ts';
import type { BackendPodGroup, ObservedGang, PodGroupKind } from '../objects/podgang.ts';
import { isUnmappable, type PodGroups } from '../scheduler/backend.ts';
import { backendOfGang } from '../scheduler/backends.ts';
import {
  buildPodGroup,
  isControlledBy,
  isForeign,
  patchOfPodGroup,
} from '../scheduler/podgroup.ts';
import type { GangContext } from './context.ts';
import { deletionOf, patchOf, warning } from '../../contract/object-intents.ts';
import type { WarningReason } from '../../contract/event-reasons.ts';

type Step = StepResult<GangContext>;

export function keepPodGroup(context: GangContext, gang: ObservedGang): Step {
  const podGroups = backendOfGang(gang, context.settings)?.podGroups;
  const surplus = removals(context, gang, podGroups?.kind, 'the gang is for another scheduler');
  if (podGroups === undefined) return surplus.length === 0 ? idle : step(surplus);
  const { intent, asked } = keep(context, gang, podGroups);
  const lastReported = problemOf(context, gang);
  const isNews = lastReported !== undefined && lastReported !== context.podGroupSync.lastReported;
  return {
    intents: [
      ...surplus,
      ...(intent === undefined ? [] : [intent]),
      ...(isNews ? [warningOf(gang, podGroups.kind, lastReported)] : []),
    ],
    changes: {
      podGroupSync: {
        ...context.podGroupSync,
        lastReported,
        ...(asked === undefined ? {} : { asked }),
      },
    },
  };
}

const step = (intents: readonly Intent[]): Step => ({ intents, changes: {} });

/** Of a gang that is being deleted: nobody is to count on its PodGroup any more. */
export function dropPodGroups(context: GangContext, gang: ObservedGang): Step {
  if (isOrphaning(gang)) return idle;
  return step(removals(context, gang, undefined, 'its PodGang is being deleted'));
}

function removals(
  { podGroups }: GangContext,
  gang: ObservedGang,
  kept: PodGroupKind | undefined,
  reason: string,
): readonly Intent[] {
  return [...podGroups.values()]
    .filter((there) => there.kind !== kept && !there.deleting && isControlledBy(there, gang))
    .map((there) => deletionOf(there, reason));
}

interface Kept {
  readonly intent?: Intent;
  readonly asked?: string;
}

/** One that is on its way out is waited for. */
function keep(context: GangContext, gang: ObservedGang, { kind, desired }: PodGroups): Kept {
  const there = context.podGroups.get(kind);
  const wanted = desired(gang, there);
  if (isUnmappable(wanted) || there?.deleting === true) return {};
  if (there === undefined) {
    const ref = { kind, namespace: gang.namespace, name: gang.name };
    const body = buildPodGroup(kind, gang, wanted);
    return { intent: { type: 'createObject', ref, reason: 'its scheduler needs it', body } };
  }
  const patch = isForeign(there, gang) ? undefined : patchOfPodGroup(gang, there, wanted);
  if (patch === undefined || isInVain(context, there, patch)) return {};
  const { resourceVersion } = there;
  // The list of owners is others' too.
  const version = isControlledBy(there, gang) ? {} : { resourceVersion };
  return {
    intent: patchOf(there, 'differs from its PodGang', patch, version),
    asked: context.podGroupSync.asked ?? JSON.stringify(patch),
  };
}

/** The server took this very patch and did not keep it: it would not another time either. */
const isInVain = (
  { podGroupSync }: GangContext,
  there: BackendPodGroup,
  patch: JsonObject,
): boolean => podGroupSync.done === `${there.resourceVersion} ${JSON.stringify(patch)}`;

/** Why the PodGroup is not as it should be and nothing is being done about it, if so. */
export function problemOf(context: GangContext, gang: ObservedGang): string | undefined {
  const podGroups = backendOfGang(gang, context.settings)?.podGroups;
  if (podGroups === undefined) return undefined;
  const { kind, desired } = podGroups;
  const there = context.podGroups.get(kind);
  const wanted = desired(gang, there);
  if (isUnmappable(wanted)) return `no ${kind} is made of PodGang ${gang.name}: ${wanted.problem}`;
  if (there === undefined || there.deleting) return undefined;
  if (isForeign(there, gang)) {
    return `${kind} ${gang.name} belongs to ${there.owner?.kind} ${there.owner?.name}: delete or rename it`;
  }
  const patch = patchOfPodGroup(gang, there, wanted);
  if (patch === undefined || !isInVain(context, there, patch)) return undefined;
  const fields = Object.keys(Object(patch['spec'])).map((field) => `spec.${field}`);
  const what = fields.length > 0 ? fields.join(', ') : 'metadata';
  return `${kind} ${gang.name} does not keep ${what} as written: is its CRD of the version that is needed?`;
}

const warningOf = (gang: ObservedGang, kind: PodGroupKind, note: string): Intent => ({
  ...warning(gang, eventReasons[kind], note),
  reporter: 'scheduler-backend',
});

/** Grove has one for KAI alone (spec controllers 9.3). */
const eventReasons: Readonly<Record<PodGroupKind, WarningReason>> = {
  KaiPodGroup: 'KAIBackendMappingFailed',
  VolcanoPodGroup: 'VolcanoBackendMappingFailed',
};
