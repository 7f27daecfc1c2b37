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
import { backendNamed } from '../../scheduler/backends.ts';
import type { QueueSource } from '../../scheduler/backend.ts';
import type { Intent } from '../../vocabulary.ts';
import { buildGang } from '../children.ts';
import { living } from '../context.ts';
import type { Replica } from '../context.ts';
import { mirrored } from '../facts.ts';
import type { SetFact } from '../facts.ts';
import { wantedGangs } from '../gangs.ts';
import type { Constituent, WantedGang } from '../gangs.ts';
import type { Topology } from '../topology.ts';
import { constrained, placedSpec, placementOf, placementPatch } from './placement.ts';
import type { Placement } from './placement.ts';
import { removal } from './surplus.ts';

export interface GangOptions {
  /** Of the backend that the gangs are for. */
  readonly schedulerName: string;
  /** How domains translate; undefined: constraints are not passed on. */
  readonly topology: Topology | undefined;
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
    const placement = placementOf(wanted, options.topology);
    const podgroups = cliques.map((clique) => newGroup(set, clique, placement));
    const meta = metadata(set, undefined, placement, options);
    const body = buildGang(set, name, meta, { podgroups, ...placedSpec(placement) });
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
function newGroup(
  set: SetFact,
  { name, minAvailable, clique }: Constituent,
  { ofCliques }: Placement,
): JsonObject {
  const isPlannable = clique !== undefined && clique.replicas <= maxPodsPerClique;
  const names = isPlannable ? firstNames(name, clique.uid, clique.replicas) : [];
  return {
    name,
    minReplicas: minAvailable,
    podReferences: podReferences(set.namespace, names),
    ...constrained(ofCliques.get(name)),
  };
}

/**
 * Labels and annotations (spec controllers 3.2): the operator's own on the gang are kept, the set's
 * are mirrored, additions and removals; KAI's mark survives (10.2 gap 15). The name of the topology
 * is there as long as a constraint is. What the scheduler backend needs there comes last.
 */
function metadata(
  set: SetFact,
  gang: GangFact | undefined,
  placement: Placement,
  { schedulerName }: GangOptions,
): { labels: StringMap; annotations: StringMap } {
  const kept = (key: string): boolean =>
    (isOurs(key) && key !== annotation.topologyName) || key === annotation.kaiSkipPodGrouper;
  return {
    labels: {
      ...only(gang?.labels, isOurs),
      ...mirrored(set.labels),
      ...baseLabels(set.name),
      [label.component]: component.gang,
      [label.schedulerName]: schedulerName,
    },
    annotations: {
      ...only(gang?.annotations, kept),
      ...mirrored(set.annotations),
      ...placement.annotations,
      ...backendNamed(schedulerName)?.gangMarks(queueSource(set)),
    },
  };
}

const queueSource = (set: SetFact): QueueSource => ({
  labels: set.labels,
  annotations: set.annotations,
  cliques: [...set.cliques, ...set.groups.flatMap(({ members }) => members)],
});

const only = (map: StringMap | undefined, keep: (key: string) => boolean): StringMap =>
  Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => keep(key)));

function patchOf(
  set: SetFact,
  gangWanted: WantedGang,
  gang: GangFact,
  options: GangOptions,
): JsonObject | undefined {
  const { cliques } = gangWanted;
  const placement = placementOf(gangWanted, options.topology);
  const wanted = metadata(set, gang, placement, options);
  const spec: JsonObject = placementPatch(gang, placement);
  if (!hasRightGroups(cliques, gang, placement)) {
    spec['podgroups'] = cliques.map((clique) => rightGroup(set, clique, gang, placement));
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

/** Of one that is there only what comes from the template is put right. */
function rightGroup(
  set: SetFact,
  clique: Constituent,
  gang: GangFact,
  placement: Placement,
): JsonObject {
  const raw = groupOf(gang, clique.name)?.raw;
  if (raw === undefined) return newGroup(set, clique, placement);
  const { topologyConstraint: _, ...others } = raw;
  return {
    ...others,
    minReplicas: clique.minAvailable,
    ...constrained(placement.ofCliques.get(clique.name)),
    ...(isEmptied(clique) ? noPods : {}),
  };
}

const hasRightGroups = (
  cliques: readonly Constituent[],
  gang: GangFact,
  { ofCliques }: Placement,
): boolean =>
  gang.groups.length === cliques.length &&
  cliques.every((clique, place) => {
    const { name, minAvailable } = clique;
    const group = gang.groups[place];
    const isSame =
      group?.name === name &&
      group.minReplicas === minAvailable &&
      isEqual(group.raw['topologyConstraint'], ofCliques.get(name));
    return isSame && (group.pods.size === 0 || !isEmptied(clique));
  });

/** Its group was scaled below it: nobody is left to tell the gang that the pods are gone. */
const isEmptied = ({ clique, isComing }: Constituent): boolean => clique === undefined && !isComing;

const noPods = { podReferences: [] };
