// Of a replica: its PodGangs. One is created once all its PodCliques are there, because their
// UIDs give the names of the pods that it lists; so pods need no gate. Afterwards only what comes
// from the template is kept right here; the pod references belong to the podgang actor.
import { annotation, baseLabels, component, label } from '../../grove/labels.ts';
import { patchOfMarks, withLists } from '../../grove/mirror.ts';
import type { Marks } from '../../grove/mirror.ts';
import { maxPodsPerClique } from '../../limits.ts';
import { at } from '../../json.ts';
import { isEqual } from '../../merge.ts';
import type { JsonObject } from '../../objects.ts';
import { firstNames } from '../../podclique/names.ts';
import type { GangFact } from '../../podgang/facts.ts';
import { groupOf } from '../../podgang/facts.ts';
import { podReferences } from '../../podgang/steps.ts';
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
    const meta = marksOf(set, placement, options);
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
 * Labels and annotations (spec controllers 3.2): the set's are mirrored, additions and removals,
 * and those of others stay (10.1 rule 23, 10.2 gap 15). What the scheduler backend needs there
 * comes last.
 */
function marksOf(set: SetFact, placement: Placement, { schedulerName }: GangOptions): Marks {
  const taken: Marks = {
    labels: mirrored(set.labels),
    annotations: {
      ...mirrored(set.annotations),
      ...backendNamed(schedulerName)?.gangMarks(queueSource(set)),
    },
  };
  const labels = {
    ...taken.labels,
    ...baseLabels(set.name),
    [label.component]: component.gang,
    [label.schedulerName]: schedulerName,
  };
  return withLists(
    { labels, annotations: { ...placement.annotations, ...taken.annotations } },
    taken,
  );
}

const queueSource = (set: SetFact): QueueSource => ({
  labels: set.labels,
  annotations: set.annotations,
  cliques: [...set.cliques, ...set.groups.flatMap(({ members }) => members)],
});

function patchOf(
  set: SetFact,
  gangWanted: WantedGang,
  gang: GangFact,
  options: GangOptions,
): JsonObject | undefined {
  const { cliques } = gangWanted;
  const placement = placementOf(gangWanted, options.topology);
  // The name of the topology is there as long as a constraint is.
  const meta = patchOfMarks(gang, marksOf(set, placement, options), [annotation.topologyName]);
  const spec: JsonObject = placementPatch(gang, placement);
  if (!hasRightGroups(cliques, gang, placement)) {
    spec['podgroups'] = cliques.map((clique) => rightGroup(set, clique, gang, placement));
  }
  if (gang.priorityClassName !== set.priorityClassName) {
    spec['priorityClassName'] = set.priorityClassName === '' ? null : set.priorityClassName;
  }
  const patch = {
    ...(meta === undefined ? {} : { metadata: meta }),
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
