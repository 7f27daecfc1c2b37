// Phase of a replica: its PodGang. It is created once all PodCliques are there, because their UIDs
// give the names of the pods that it lists; so pods need no gate. Afterwards only what comes from
// the template is kept right here; the pod references belong to the podgang actor.
import { annotation, baseLabels, component, isOurs, label } from '../../grove/labels.ts';
import { maxPodsPerClique } from '../../limits.ts';
import { isEqual, patchInto } from '../../merge.ts';
import type { StringMap } from '../../json.ts';
import type { JsonObject } from '../../objects.ts';
import type { CliqueFact } from '../../podclique/facts.ts';
import { firstNames } from '../../podclique/names.ts';
import type { GangFact } from '../../podgang/facts.ts';
import { groupOf } from '../../podgang/facts.ts';
import { baseGangName } from '../../podgang/names.ts';
import { podReferences } from '../../podgang/plan.ts';
import type { Intent } from '../../vocabulary.ts';
import { buildGang } from '../children.ts';
import { living } from '../context.ts';
import type { Replica } from '../context.ts';
import { mirrored } from '../facts.ts';
import type { SetFact } from '../facts.ts';
import { cliqueName } from '../names.ts';

export interface GangOptions {
  readonly defaultSchedulerName: string;
}

export function planGang(
  set: SetFact,
  index: number,
  replica: Replica,
  options: GangOptions,
): readonly Intent[] {
  const ref = {
    kind: 'PodGang',
    namespace: set.namespace,
    name: baseGangName(set.name, index),
  } as const;
  if (replica.gang === undefined) {
    const cliques = constituents(set, replica);
    if (cliques === undefined || cliques.length === 0) return [];
    const groups = cliques.map((clique) => newGroup(set, index, clique));
    const body = buildGang(set, index, metadata(set, undefined, options), groups);
    return [{ type: 'createObject', ref, reason: `gang of replica ${index}`, body }];
  }
  const gang = living(replica.gang, set);
  const patch = gang === undefined ? undefined : patchOf(set, index, replica, gang, options);
  if (gang === undefined || patch === undefined) return [];
  const { resourceVersion } = gang;
  const hasList = patch['spec'] !== undefined;
  return [
    {
      type: 'patchObject',
      ref,
      reason: 'differs from the template',
      patch,
      uid: gang.uid,
      ...(hasList ? { resourceVersion } : {}),
    },
  ];
}

interface Constituent {
  readonly name: string;
  readonly minAvailable: number;
  readonly clique: CliqueFact | undefined;
}

const members = (set: SetFact, replica: Replica): readonly Constituent[] =>
  set.cliques.map((template) => ({
    name: template.name,
    minAvailable: template.minAvailable,
    clique: living(replica.cliques.get(template.name), set),
  }));

/** All PodCliques of the gang in template order, or undefined while one is not there. */
function constituents(set: SetFact, replica: Replica): readonly Constituent[] | undefined {
  const all = members(set, replica);
  return all.every(({ clique }) => clique !== undefined) ? all : undefined;
}

function newGroup(
  set: SetFact,
  index: number,
  { name, minAvailable, clique }: Constituent,
): JsonObject {
  const fqn = cliqueName(set.name, index, name);
  const isPlannable = clique !== undefined && clique.replicas <= maxPodsPerClique;
  const names = isPlannable ? firstNames(fqn, clique.uid, clique.replicas) : [];
  return {
    name: fqn,
    minReplicas: minAvailable,
    podReferences: podReferences(set.namespace, names),
  };
}

/**
 * Labels and annotations (spec controllers 3.2): the operator's own on the gang are kept, the set's
 * are mirrored, additions and removals; KAI's mark survives (10.2 gap 15).
 */
function metadata(
  set: SetFact,
  gang: GangFact | undefined,
  { defaultSchedulerName }: GangOptions,
): { labels: StringMap; annotations: StringMap } {
  const kept = (key: string): boolean => isOurs(key) || key === annotation.kaiSkipPodGrouper;
  return {
    labels: {
      ...only(gang?.labels, isOurs),
      ...mirrored(set.labels),
      ...baseLabels(set.name),
      [label.component]: component.gang,
      [label.schedulerName]: set.schedulerName ?? defaultSchedulerName,
    },
    annotations: { ...only(gang?.annotations, kept), ...mirrored(set.annotations) },
  };
}

const only = (map: StringMap | undefined, keep: (key: string) => boolean): StringMap =>
  Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => keep(key)));

function patchOf(
  set: SetFact,
  index: number,
  replica: Replica,
  gang: GangFact,
  options: GangOptions,
): JsonObject | undefined {
  const wanted = metadata(set, gang, options);
  const spec: JsonObject = {};
  if (!hasRightGroups(set, index, gang)) {
    spec['podgroups'] = members(set, replica).map((member) => {
      const fresh = newGroup(set, index, member);
      const raw = groupOf(gang, cliqueName(set.name, index, member.name))?.raw;
      return raw === undefined ? fresh : { ...raw, minReplicas: member.minAvailable };
    });
  }
  if (gang.priorityClassName !== set.priorityClassName) {
    spec['priorityClassName'] = set.priorityClassName === '' ? null : set.priorityClassName;
  }
  const meta: JsonObject = {};
  if (!isEqual(gang.labels, wanted.labels)) meta['labels'] = patchInto(gang.labels, wanted.labels);
  if (!isEqual(gang.annotations, wanted.annotations)) {
    meta['annotations'] = patchInto(gang.annotations, wanted.annotations);
  }
  const patch = {
    ...(Object.keys(meta).length > 0 ? { metadata: meta } : {}),
    ...(Object.keys(spec).length > 0 ? { spec } : {}),
  };
  return Object.keys(patch).length > 0 ? patch : undefined;
}

const hasRightGroups = (set: SetFact, index: number, gang: GangFact): boolean =>
  gang.groups.length === set.cliques.length &&
  set.cliques.every((template, place) => {
    const group = gang.groups[place];
    const isSameName = group?.name === cliqueName(set.name, index, template.name);
    return isSameName && group?.minReplicas === template.minAvailable;
  });

/** True where nothing of the gang waits for anything. */
export const isGangThere = (set: SetFact, replica: Replica): boolean =>
  set.cliques.length === 0 || living(replica.gang, set) !== undefined;
