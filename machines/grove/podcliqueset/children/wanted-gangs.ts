// Which PodGangs a replica of a PodCliqueSet has, of which PodCliques, and in which order (spec
// controllers 3.1). Used by gang.ts and by `why`.
import { isOwnedBy } from '../../../kubernetes/meta.ts';
import { living } from '../../children/reconcile.ts';
import { translated, type Constraint } from '../../objects/topologybinding.ts';
import { maxReplicasPerGroup } from '../../objects/limits.ts';
import {
  baseGangName,
  cliqueName,
  groupName,
  memberName,
  replicaName,
  scaledGangName,
} from '../../objects/names.ts';
import type { ObservedClique } from '../../objects/podclique.ts';
import type { CliqueTemplate, GroupTemplate } from '../../objects/template.ts';
import { livingMember, type ReplicaScope, type Topology } from '../context.ts';
import type { StringMap } from '../../../kubernetes/json.ts';
import type { JsonObject } from '../../../kubernetes/objects.ts';
import { annotation } from '../../objects/labels.ts';

type InReplica = Pick<ReplicaScope, 'set' | 'index' | 'replica'>;

/** A PodClique of a gang: one of its pod groups. */
export interface Constituent {
  readonly name: string;
  readonly minAvailable: number;
  readonly clique: ObservedClique | undefined;
  /** False for a member that its group was scaled below and that is gone: nobody creates it. */
  readonly isComing: boolean;
  readonly constraint: Constraint | undefined;
}

/** A replica of a scaling group in the base gang that is to be placed as one. */
export interface GroupConfig {
  readonly name: string;
  /** Its PodCliques, in the order of the group's list. */
  readonly cliqueNames: readonly string[];
  readonly constraint: Constraint;
}

export interface WantedGang {
  readonly name: string;
  /** What follows the replica's number in the name; empty for the base gang. */
  readonly slot: string;
  readonly cliques: readonly Constituent[];
  readonly constraint: Constraint | undefined;
  readonly groupConfigs: readonly GroupConfig[];
}

/** The base gang, if it has any PodClique, then the scaled ones by group and number. */
export function wantedGangs(at: InReplica): readonly WantedGang[] {
  const { set, index } = at;
  const base = baseCliques(at);
  const scaled = set.groups.flatMap((group) => scaledGangs(at, group));
  if (base.length === 0) return scaled;
  const name = baseGangName(set.name, index);
  const { constraint } = set;
  const groupConfigs = set.groups.flatMap((group) => groupConfigsOf(at, group));
  return [{ name, slot: '', cliques: base, constraint, groupConfigs }, ...scaled];
}

/** One for each replica below the minimum, where the group asks for a place. */
function groupConfigsOf(
  { set, index }: InReplica,
  { name, minAvailable, members, constraint }: GroupTemplate,
): readonly GroupConfig[] {
  if (constraint === undefined || members.length === 0) return [];
  const fullName = groupName(set.name, index, name);
  return Array.from({ length: minAvailable }, (_, place) => ({
    name: replicaName(fullName, place),
    cliqueNames: members.map((member) => memberName(fullName, place, member.name)),
    constraint,
  }));
}

/**
 * Standalone cliques in template order, then by group the replicas below its minimum, each with its
 * cliques in the order of the group's list.
 */
function baseCliques(at: InReplica): readonly Constituent[] {
  const { set, index, replica } = at;
  const standalone = set.cliques.map(({ name, minAvailable, constraint }) => ({
    name: cliqueName(set.name, index, name),
    minAvailable,
    constraint,
    clique: living(replica.children.PodClique.get(name), set),
    isComing: true,
  }));
  const members = set.groups.flatMap((group) => {
    const replicas = replicasOf(at, group);
    return Array.from({ length: group.minAvailable }, (_, place) =>
      membersAt(at, group, place).map((one) => ({
        ...one,
        isComing: one.isComing || place < replicas,
      })),
    ).flat();
  });
  return [...standalone, ...members];
}

/**
 * One gang for each replica at or above the minimum; their numbers start at 0. Each is a replica of
 * its group, so the group's constraint is that of the whole gang (rule 24).
 */
function scaledGangs(at: InReplica, group: GroupTemplate): readonly WantedGang[] {
  if (group.members.length === 0) return [];
  const { set, index } = at;
  const { minAvailable } = group;
  const many = Math.max(0, replicasOf(at, group) - minAvailable);
  return Array.from({ length: many }, (_, number) => ({
    name: scaledGangName(groupName(set.name, index, group.name), number),
    slot: scaledGangName(group.name, number),
    cliques: membersAt(at, group, minAvailable + number).map((one) => ({ ...one, isComing: true })),
    constraint: group.constraint ?? set.constraint,
    groupConfigs: [],
  }));
}

function membersAt(
  { set, index, replica }: InReplica,
  group: GroupTemplate,
  place: number,
): readonly Constituent[] {
  const fullName = groupName(set.name, index, group.name);
  return group.members.map(({ name, minAvailable, constraint }: CliqueTemplate) => {
    const rest = memberName(group.name, place, name);
    return {
      name: memberName(fullName, place, name),
      minAvailable,
      constraint,
      clique: livingMember(replica, set, group.name, rest),
      isComing: replica.children.PodClique.has(rest),
    };
  });
}

/**
 * Replicas of a live group, which may be scaled; of the template while it is not there. A group
 * that goes keeps its gangs until it is gone; what is too large to be handled adds none.
 */
function replicasOf({ set, replica }: InReplica, group: GroupTemplate): number {
  const there = replica.children.PodCliqueScalingGroup.get(group.name);
  const isOurs = there !== undefined && isOwnedBy(there, 'PodCliqueSet', set.uid);
  return Math.min(isOurs ? there.replicas : group.replicas, maxReplicasPerGroup);
}

/** Undefined and empty parts are not in the PodGang. */
export interface Placement {
  readonly constraint: JsonObject | undefined;
  readonly groupConfigs: readonly JsonObject[];
  /** By name of the PodClique; only of those that have one. */
  readonly ofCliques: ReadonlyMap<string, JsonObject>;
  /** `grove.io/topology-name`, where a constraint is there that it can be said of. */
  readonly annotations: StringMap;
}

const nowhere: Placement = {
  constraint: undefined,
  groupConfigs: [],
  ofCliques: new Map(),
  annotations: {},
};

/**
 * `topology` undefined: constraints are not passed on. What cannot be translated is left out, but
 * for the entries of groups with a constraint, which stay without it.
 */
export function placementOf(wanted: WantedGang, topology: Topology | undefined): Placement {
  if (topology === undefined) return nowhere;
  const toKeys = (one: Constraint | undefined) => translated(one, topology.levels ?? []);
  const constraint = toKeys(wanted.constraint);
  const groupConfigs = wanted.groupConfigs.map((config) => ({
    name: config.name,
    podGroupNames: [...config.cliqueNames],
    ...constrained(toKeys(config.constraint)),
  }));
  const ofCliques = new Map<string, JsonObject>();
  for (const clique of wanted.cliques) {
    const keys = toKeys(clique.constraint);
    if (keys !== undefined) ofCliques.set(clique.name, keys);
  }
  const isPlaced =
    constraint !== undefined ||
    ofCliques.size > 0 ||
    groupConfigs.some((config) => 'topologyConstraint' in config);
  const annotations = isPlaced ? { [annotation.topologyName]: topology.name } : {};
  return { constraint, groupConfigs, ofCliques, annotations };
}

export const constrained = (
  constraint: JsonObject | undefined,
): { readonly topologyConstraint?: JsonObject } =>
  constraint === undefined ? {} : { topologyConstraint: constraint };

/** For the spec of a new PodGang. */
export const placedSpec = ({ constraint, groupConfigs }: Placement): JsonObject => ({
  ...constrained(constraint),
  ...(groupConfigs.length > 0 ? { topologyConstraintGroupConfigs: [...groupConfigs] } : {}),
});
