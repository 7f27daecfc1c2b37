// What the actors need to know of a PodGang (spec api 1.6), and of the PodGroup of a scheduler
// backend, which has its name. Read by the podgang actor (its own, and what it writes), the
// podcliqueset actor (its child) and the podclique actors (who is listed, and let in?).
import { conditionsOf, conditionStatus } from '../../kubernetes/conditions.ts';
import { at, count, isObject, list, object, text } from '../../kubernetes/json.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { Json, JsonObject } from '../../kubernetes/objects.ts';
import { label } from './labels.ts';
import { maxGroupsPerGang } from './limits.ts';
import { isMetaNews, ownerSet, reading, setOf } from './meta.ts';

export interface GangEntry {
  /** Name of the PodClique. */
  readonly name: string;
  readonly minReplicas: number;
  /** Names of the pods listed, as they stand. */
  readonly pods: ReadonlySet<string>;
  /** The entry as read, for patches that must keep what they do not know. */
  readonly raw: JsonObject;
}

export interface ObservedGang extends Meta {
  readonly kind: 'PodGang';
  /** Name of the PodCliqueSet of its tree; empty where it is not ours. */
  readonly set: string;
  readonly groups: readonly GangEntry[];
  /** Of all pods together, in node label keys; as read. */
  readonly topologyConstraint: JsonObject | undefined;
  /** Constraints of several groups together; as read. */
  readonly groupConfigs: readonly JsonObject[];
  readonly priorityClassName: string;
  readonly isInitialized: boolean;
  readonly status: JsonObject;
}

export const readGang = reading((source, meta): ObservedGang | Malformed => {
  const groups = list(at(source['spec'], 'podgroups')).filter(isObject);
  if (groups.length > maxGroupsPerGang) {
    return {
      malformed: `spec.podgroups has ${groups.length} entries; at most ${maxGroupsPerGang}`,
    };
  }
  const status = object(source['status']);
  const constraint = at(source['spec'], 'topologyConstraint');
  return {
    ...meta,
    kind: 'PodGang',
    // A label can be changed by any hand, and the set that owns it puts it right.
    set: ownerSet(meta) || setOf(meta),
    groups: groups.map((group) => readGroup(group, meta.namespace)),
    topologyConstraint: isObject(constraint) ? constraint : undefined,
    groupConfigs: list(at(source['spec'], 'topologyConstraintGroupConfigs')).filter(isObject),
    priorityClassName: text(at(source['spec'], 'priorityClassName')),
    isInitialized: conditionStatus(conditionsOf(status), 'Initialized') === 'True',
    status,
  };
});

const readGroup = (raw: JsonObject, namespace: string): GangEntry => ({
  name: text(raw['name']),
  minReplicas: count(raw['minReplicas']) ?? 0,
  pods: new Set(
    list(raw['podReferences'])
      .filter((reference) => at(reference, 'namespace') === namespace)
      .map((reference) => text(at(reference, 'name')))
      .filter((name) => name !== ''),
  ),
  raw,
});

export const groupOf = (gang: ObservedGang | undefined, clique: string): GangEntry | undefined =>
  gang?.groups.find((group) => group.name === clique);

/** News for its PodCliques: who is listed, and whether the gang is complete. */
export const isNewsToClique = (old: ObservedGang | undefined, now: ObservedGang): boolean =>
  isMetaNews(old, now) ||
  old?.isInitialized !== now.isInitialized ||
  old.generation !== now.generation;

/** Sorted by name, so that order alone never causes an update (spec controllers 3.1). */
export const podReferences = (namespace: string, sortedNames: readonly string[]): Json[] =>
  sortedNames.map((name) => ({ namespace, name }));

/** Kinds that the API calls PodGroup. */
export type PodGroupKind = 'KaiPodGroup' | 'VolcanoPodGroup';

export interface BackendPodGroup extends Meta {
  readonly kind: PodGroupKind;
  /** Name of the PodCliqueSet of its tree; empty where it is not ours. */
  readonly set: string;
  readonly spec: JsonObject;
  readonly ownerReferences: readonly JsonObject[];
}

/** Those that have the name of a gang, at most one of each kind. */
export type BackendPodGroups = ReadonlyMap<PodGroupKind, BackendPodGroup>;

export const readPodGroup = (kind: PodGroupKind) =>
  reading(({ metadata, spec }, meta): BackendPodGroup | Malformed => ({
    ...meta,
    kind,
    set: text(meta.labels[label.partOf]),
    spec: object(spec),
    ownerReferences: list(at(metadata, 'ownerReferences')).filter(isObject),
  }));

export type PodGroupEvent =
  | { readonly type: 'podGroup.observed'; readonly observed: BackendPodGroup }
  | { readonly type: 'podGroup.gone'; readonly kind: PodGroupKind; readonly uid: string };

/** With what happened; the same map where that is no news, which is for the reader to say. */
export function withPodGroup(
  there: BackendPodGroups,
  event: PodGroupEvent,
  isNews: (old: BackendPodGroup | undefined, now: BackendPodGroup) => boolean,
): BackendPodGroups {
  if (event.type === 'podGroup.observed') {
    const { observed } = event;
    return isNews(there.get(observed.kind), observed)
      ? new Map(there).set(observed.kind, observed)
      : there;
  }
  if (there.get(event.kind)?.uid !== event.uid) return there;
  const left = new Map(there);
  left.delete(event.kind);
  return left;
}
