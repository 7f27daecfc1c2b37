// What of a PodGang comes from the template of its PodCliqueSet. The set creates the PodGang;
// afterwards it publishes this for the podgang actor, which alone writes the spec: the same list
// holds the pods (spec controllers 3.2). Read by both: the set sees whether the PodGang shows it.
import { read, single, type Read, type View } from '../../contract/view.ts';
import { isEqual, object } from '../../kubernetes/json.ts';
import { patchInto } from '../../kubernetes/merge.ts';
import type { Json, JsonObject } from '../../kubernetes/objects.ts';
import { annotation } from '../objects/labels.ts';
import { patchOfMarks, type Marks } from '../objects/mirror.ts';
import { groupOf, type ObservedGang } from '../objects/podgang.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import type { EpochMs } from '../../kubernetes/time.ts';

export interface GangTemplate {
  readonly marks: Marks;
  /** Empty: none. */
  readonly priorityClassName: string;
  /** Of all pods together, in node label keys. */
  readonly topologyConstraint?: JsonObject;
  /** Constraints of several groups together. */
  readonly groupConfigs: readonly JsonObject[];
  /** In the order of the gang's list. */
  readonly groups: readonly PodGroupTemplate[];
}

export interface PodGroupTemplate {
  /** Of the PodClique. */
  readonly name: string;
  readonly minReplicas: number;
  readonly topologyConstraint?: JsonObject;
  /** Its scaling group was scaled below it: nobody is left to say that the pods are gone. */
  readonly isEmptied: boolean;
}

/** What the set publishes: the whole template, as long as the PodGang does not show it. */
export interface DesiredGang {
  /** Of the PodGang. */
  readonly uid: string;
  readonly template: GangTemplate;
}

export type GangTemplateEvent = Read<'gangTemplate', DesiredGang>;

/** By key of the PodGang. */
export const gangTemplate = single<DesiredGang>({
  name: 'gangTemplate',
  say: ({ template }) => `${template.groups.length} PodCliques`,
});

export const isShown = (gang: ObservedGang, template: GangTemplate): boolean =>
  metadataPatch(gang, template) === undefined &&
  hasRightGroups(gang, template) &&
  Object.keys(specPatch(gang, template)).length === 0;

/** The name of the topology is there as long as a constraint is. */
export const metadataPatch = (
  gang: ObservedGang,
  { marks }: GangTemplate,
): JsonObject | undefined => patchOfMarks(gang, marks, [annotation.topologyName]);

/** Without the list of groups; empty where nothing differs. */
export function specPatch(gang: ObservedGang, template: GangTemplate): JsonObject {
  const { topologyConstraint, groupConfigs, priorityClassName } = template;
  const spec: Record<string, Json> = {};
  if (!isEqual(gang.topologyConstraint, topologyConstraint)) {
    spec['topologyConstraint'] =
      topologyConstraint === undefined
        ? null
        : patchInto(gang.topologyConstraint, topologyConstraint);
  }
  if (!isEqual(gang.groupConfigs, groupConfigs)) {
    spec['topologyConstraintGroupConfigs'] = groupConfigs.length > 0 ? [...groupConfigs] : null;
  }
  if (gang.priorityClassName !== priorityClassName) {
    spec['priorityClassName'] = priorityClassName === '' ? null : priorityClassName;
  }
  return spec;
}

/** Which pods are listed is not the template's, but that none is. */
export const hasRightGroups = (gang: ObservedGang, { groups }: GangTemplate): boolean =>
  gang.groups.length === groups.length &&
  groups.every(({ name, minReplicas, topologyConstraint, isEmptied }, place) => {
    const there = gang.groups[place];
    const isSame =
      there?.name === name &&
      there.minReplicas === minReplicas &&
      isEqual(there.raw['topologyConstraint'], topologyConstraint);
    return isSame && (there.pods.size === 0 || !isEmptied);
  });

/** The entries of the list as the template wants them; what others put there stays. */
export const rightGroups = (gang: ObservedGang, { groups }: GangTemplate): readonly JsonObject[] =>
  groups.map(({ name, minReplicas, topologyConstraint, isEmptied }) => {
    const raw = groupOf(gang, name)?.raw ?? { name, podReferences: [] };
    const { topologyConstraint: _, ...others } = object(raw);
    return {
      ...others,
      minReplicas,
      ...(topologyConstraint === undefined ? {} : { topologyConstraint }),
      ...(isEmptied ? { podReferences: [] } : {}),
    };
  });

export interface GangFailure {
  readonly gang: string;
  readonly code: ErrorCode;
  readonly message: string;
  readonly at: EpochMs;
}

export type FailuresEvent = Read<'gangFailures', readonly GangFailure[]>;

/** By key of the PodCliqueSet. */
export const gangFailures: View<GangFailure, readonly GangFailure[]> = {
  name: 'gangFailures',
  valueOf: (items) => [...items.values()].toSorted((a, b) => (a.gang < b.gang ? -1 : 1)),
  isSameItem: (one, other) => one.code === other.code && one.message === other.message,
  event: read('gangFailures'),
  say: (failures) => `${failures.length} PodGangs cannot be written`,
};

export interface WantedPods {
  /** UID of the PodGang that the PodClique takes for its own; undefined: none yet. */
  readonly gang: string | undefined;
  /** Sorted. */
  readonly names: readonly string[];
  /** Wanted and not there, or there without the label of their gang. */
  readonly missing: number;
  /** As many pods run as the gang needs of this PodClique. */
  readonly isRunning: boolean;
}

export type WantedPodsEvent = Read<'wantedPods', WantedPods>;

/** By key of the PodClique. */
export const wantedPods = single<WantedPods>({
  name: 'wantedPods',
  say: ({ names, missing }) => `${names.length - missing} of ${names.length} pods are there`,
});
