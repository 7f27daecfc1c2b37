// What a scheduler backend is to the controller (spec controllers 8.4): one value of this type per
// scheduler, listed in backends.ts. All of it is pure; who asks is named at each field.
import type { WarningReason } from '../../contract/event-reasons.ts';
import type { StringMap } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { ObservedGang } from '../objects/podgang.ts';
import type { BackendPodGroup, PodGroupKind } from '../objects/podgroup.ts';

export interface Backend {
  /** As in `spec.schedulerName` of pods. */
  readonly name: string;
  /** Besides the name. Asked by the podclique actor for each pod that it creates; these keys win,
   *  and all others of the user stay. */
  readonly podMarks: (place: PodPlace) => Marks;
  /** Annotations for a PodGang. Asked by the podcliqueset actor; these keys win over mirrored
   *  ones. */
  readonly gangMarks: (set: QueueSource) => StringMap;
  /** Its own object for each PodGang, after which the podgang actor looks. Absent: it has none. */
  readonly podGroups?: PodGroups;
  /** What the cluster must be able to do, checked at the start (src/controller). */
  readonly capability?: Capability;
}

export interface PodPlace {
  /** Full name of the PodClique. */
  readonly clique: string;
  readonly gang: string;
}

export interface Marks {
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

/** Whoever may name a queue. */
interface Named {
  readonly labels: StringMap;
  readonly annotations: StringMap;
}

/** A set and its cliques, with the labels and annotations of the template. */
export interface QueueSource extends Named {
  readonly cliques: readonly Named[];
}

/** A PodGroup has the name and namespace of its PodGang, and is controlled by it. */
export interface PodGroups {
  readonly kind: PodGroupKind;
  /** What the PodGroup of a gang must be like, given the one that is there; or why it cannot be:
   *  then nothing is written, and a Warning on the PodGang says so. */
  readonly desired: (
    gang: ObservedGang,
    there: BackendPodGroup | undefined,
  ) => Desired | Unmappable;
  /** Names of PodCliques that a PodGroup with this spec lets in. */
  readonly cliquesIn: (spec: JsonObject) => readonly string[];
}

/**
 * Only what is named here is compared and written; all else that a PodGroup has stays. A null in
 * `spec`, also inside lists, is a field that must not be there. Entries of lists that have a `name`
 * keep the fields that are not named here.
 */
export interface Desired {
  readonly labels: StringMap;
  readonly annotations: StringMap;
  readonly spec: JsonObject;
}

/** Why there can be no PodGroup: a sentence that says what would be right. */
export interface Unmappable {
  readonly problem: string;
}

export const isUnmappable = (desired: Desired | Unmappable): desired is Unmappable =>
  'problem' in desired;

/** A CRD must serve a version whose schema has a field of the spec. */
export interface Capability {
  readonly crd: string;
  readonly version: string;
  readonly specField: string;
  /** Reason of the Event on the CRD where it does not. */
  readonly unavailable: WarningReason;
}
