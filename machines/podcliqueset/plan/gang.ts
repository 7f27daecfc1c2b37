// Phase of a replica: its PodGangs. One is created once all its PodCliques are there, because their
// UIDs give the names of the pods that it lists; so pods need no gate. Afterwards only what comes
// from the template is kept right here; the pod references belong to the podgang actor.
import { annotation, baseLabels, component, isOurs, label } from '../../grove/labels.ts';
import { maxPodsPerClique } from '../../limits.ts';
import { at } from '../../json.ts';
import type { StringMap } from '../../json.ts';
import { isEqual, patchInto } from '../../merge.ts';
import type { JsonObject } from '../../objects.ts';
import { firstNames } from '../../podclique/names.ts';
import type { GangFact } from '../../podgang/facts.ts';
import { groupOf } from '../../podgang/facts.ts';
import { podReferences } from '../../podgang/plan.ts';
import type { Intent } from '../../vocabulary.ts';
import { buildGang } from '../children.ts';
import { living } from '../context.ts';
import type { Replica } from '../context.ts';
import { mirrored } from '../facts.ts';
import type { SetFact } from '../facts.ts';
import { wantedGangs } from '../gangs.ts';
import type { Constituent, WantedGang } from '../gangs.ts';
import { removal } from './surplus.ts';

export interface GangOptions {
  readonly defaultSchedulerName: string;
}

export interface GangPlan {
  readonly intents: readonly Intent[];
  /** Every gang that is wanted is there. */
  readonly areThere: boolean;
}

/** Those that belong to no group replica any more go first (spec controllers 3.3). */
export function planGangs(
  set: SetFact,
  index: number,
  replica: Replica,
  options: GangOptions,
): GangPlan {
  const wanted = wantedGangs(set, index, replica);
  const kept = new Set(wanted.map(({ rest }) => rest));
  const surplus = [...replica.gangs]
    .filter(([rest, gang]) => !kept.has(rest) && living(gang, set) !== undefined)
    .map(([, gang]) => removal(gang, 'its scaling group was scaled in'));
  return {
    intents: [...surplus, ...wanted.flatMap((gang) => planGang(set, replica, gang, options))],
    areThere: wanted.every(({ rest }) => living(replica.gangs.get(rest), set) !== undefined),
  };
}

function planGang(
  set: SetFact,
  replica: Replica,
  wanted: WantedGang,
  options: GangOptions,
): readonly Intent[] {
  const { name, rest, cliques } = wanted;
  const ref = { kind: 'PodGang', namespace: set.namespace, name } as const;
  const there = replica.gangs.get(rest);
  if (there === undefined) {
    if (cliques.some(({ clique, isComing }) => isComing && clique === undefined)) return [];
    const groups = cliques.map((clique) => newGroup(set, clique));
    const body = buildGang(set, name, metadata(set, undefined, options), groups);
    return [{ type: 'createObject', ref, reason: 'all its PodCliques are there', body }];
  }
  const gang = living(there, set);
  const patch = gang === undefined ? undefined : patchOf(set, wanted, gang, options);
  if (gang === undefined || patch === undefined) return [];
  const { resourceVersion } = gang;
  // The list is the podgang actor's too.
  const hasList = at(patch, 'spec', 'podgroups') !== undefined;
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

/** `minReplicas` is what the gang guarantees; further pods are listed and best effort. */
function newGroup(set: SetFact, { name, minAvailable, clique }: Constituent): JsonObject {
  const isPlannable = clique !== undefined && clique.replicas <= maxPodsPerClique;
  const names = isPlannable ? firstNames(name, clique.uid, clique.replicas) : [];
  return {
    name,
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
  { cliques }: WantedGang,
  gang: GangFact,
  options: GangOptions,
): JsonObject | undefined {
  const wanted = metadata(set, gang, options);
  const spec: JsonObject = {};
  if (!hasRightGroups(cliques, gang)) {
    spec['podgroups'] = cliques.map((clique) => {
      const fresh = newGroup(set, clique);
      const raw = groupOf(gang, clique.name)?.raw;
      if (raw === undefined) return fresh;
      const { minAvailable } = clique;
      return { ...raw, minReplicas: minAvailable, ...(isEmptied(clique) ? noPods : {}) };
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

const hasRightGroups = (cliques: readonly Constituent[], gang: GangFact): boolean =>
  gang.groups.length === cliques.length &&
  cliques.every((clique, place) => {
    const { name, minAvailable } = clique;
    const group = gang.groups[place];
    const isSame = group?.name === name && group.minReplicas === minAvailable;
    return isSame && (group.pods.size === 0 || !isEmptied(clique));
  });

/** Its group was scaled below it: nobody is left to tell the gang that the pods are gone. */
const isEmptied = ({ clique, isComing }: Constituent): boolean => clique === undefined && !isComing;

const noPods = { podReferences: [] };
