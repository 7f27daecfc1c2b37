// What a scheduler backend is to the controller (spec controllers 8.4): one value of this type per
// scheduler, listed in backends.ts. All of it is pure; who asks is named at each field.
import type { WarningReason } from '../../contract/event-reasons.ts';
import type { StringMap } from '../../kubernetes/json.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import type { BackendPodGroup, ObservedGang, PodGroupKind } from '../objects/podgang.ts';
import type { Marks } from '../objects/mirror.ts';

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

/** A set and its cliques, with the labels and annotations of the template: each may name a
 *  queue. */
export interface QueueSource extends Marks {
  readonly cliques: readonly Marks[];
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

/**
 * The value of the annotation by which a PodGang names its queue. A set and its cliques may name
 * one each, but a gang goes to one, so the podcliqueset actor writes there what they agree on, and
 * the backend's PodGroup takes it from there (spec controllers 8.4, 10.2 gap 28). Where they do not
 * agree it lists all that are named: no PodGroup is made of that, and people see why.
 */
export const namedQueues = (names: Iterable<string>): string => [...new Set(names)].join(', ');

/** The one queue that an annotation's value names, or what is wrong. */
export function queueIn(named: string, key: string): string | Unmappable {
  const names = named.split(',').map((name) => name.trim());
  const [name = '', ...others] = names.filter((one) => one !== '');
  if (others.length > 0) {
    return {
      problem: `the set and its cliques must name one queue in ${key}, and they name ${named}`,
    };
  }
  return name;
}
