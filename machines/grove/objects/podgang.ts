// What the actors need to know of a PodGang (spec api 1.6). Read by the podgang actor (its own),
// the podcliqueset actor (its child) and the podclique actors (who is listed?); each says what is
// news.
import { conditionStatus, conditionsOf } from '../../kubernetes/conditions.ts';
import { at, count, isEqual, isObject, list, object, text, word } from '../../kubernetes/json.ts';
import { isMalformed } from '../../kubernetes/meta.ts';
import type { Malformed, Meta } from '../../kubernetes/meta.ts';
import type { Json, JsonObject, KubeObject } from '../../kubernetes/objects.ts';
import { label } from './labels.ts';
import { maxGroupsPerGang } from './limits.ts';
import { readMeta } from './meta.ts';

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

export function readGang(source: KubeObject): ObservedGang | Malformed {
  const meta = readMeta(source);
  if (isMalformed(meta)) return meta;
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
    set:
      meta.owner?.kind === 'PodCliqueSet'
        ? meta.owner.name
        : (word(meta.labels[label.partOf]) ?? ''),
    groups: groups.map((group) => readGroup(group, meta.namespace)),
    topologyConstraint: isObject(constraint) ? constraint : undefined,
    groupConfigs: list(at(source['spec'], 'topologyConstraintGroupConfigs')).filter(isObject),
    priorityClassName: text(at(source['spec'], 'priorityClassName')),
    isInitialized: conditionStatus(conditionsOf(status), 'Initialized') === 'True',
    status,
  };
}

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
  old?.uid !== now.uid ||
  old.deleting !== now.deleting ||
  old.isInitialized !== now.isInitialized ||
  old.owner?.uid !== now.owner?.uid ||
  old.generation !== now.generation;

/** News for its PodCliqueSet: the part that comes from the set's template. */
export const isNewsToSet = (old: ObservedGang | undefined, now: ObservedGang): boolean =>
  old?.uid !== now.uid ||
  old.deleting !== now.deleting ||
  old.generation !== now.generation ||
  old.owner?.uid !== now.owner?.uid ||
  !isEqual(old.labels, now.labels) ||
  !isEqual(old.annotations, now.annotations);

/** Sorted by name, so that order alone never causes an update (spec controllers 3.1). */
export const podReferences = (namespace: string, sortedNames: readonly string[]): Json[] =>
  sortedNames.map((name) => ({ namespace, name }));
