// What a PodClique shares (spec controllers 8.2): the claims that it makes itself, and those of its
// set and its scaling group that its pods get as well. Both come from the template of the set,
// which it reads where something is shared. And why its spec cannot be acted upon, if so.
import {
  claimsOfPod,
  ensureClaims as ensureAt,
  problemsOfClaims,
  removeStaleClaims,
} from '../claims/scope.ts';
import type { ClaimScope, Sharer } from '../claims/scope.ts';
import { label } from '../objects/labels.ts';
import { cliqueName, groupName, memberName } from '../objects/names.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { Problem } from '../objects/set-problem.ts';
import type { CliqueTemplate, GroupTemplate } from '../objects/template.ts';
import { livePods, ownPods, schedulerOf } from './context.ts';
import type { CliqueContext, Query, Step } from './context.ts';
import { idle } from '../../statechart/step.ts';
import { maxPodsPerClique } from '../objects/limits.ts';

/** Where a PodClique stands in the template of its set. */
interface Place {
  readonly set: ObservedSet;
  /** Number of the set's replica. */
  readonly replica: number;
  readonly clique: CliqueTemplate;
  /** Of a member: the template of its group, and which replica of that. */
  readonly group: { readonly template: GroupTemplate; readonly index: number } | undefined;
}

export interface CliqueSharing {
  /** The claims of the PodClique itself. */
  readonly level: ClaimScope;
  /** Names of the claims that the pod with this index gets, in order. */
  readonly claimsOf: (index: number) => readonly string[];
}

const isProblem = (value: object): value is Problem => 'message' in value;

/** Undefined where nothing is shared; a problem where its labels do not say where it belongs. */
const sharingOf: Query<CliqueSharing | Problem | undefined> = (context, clique) => {
  const { set } = context;
  if (set === undefined || !set.sharing.isUsed) return undefined;
  if (clique.owner?.kind === 'PodCliqueSet' && clique.owner.uid !== set.uid) {
    return unplaced(`${clique.name} belongs to an earlier PodCliqueSet ${set.name}`);
  }
  const place = placeIn(set, clique);
  if (isProblem(place)) return place;
  const level: ClaimScope = {
    owner: clique,
    set,
    sharedClaims: place.clique.sharedClaims,
    claimsIn: () => context.claims,
    replicas: clique.replicas,
    labels: { [label.podClique]: clique.name },
    indexLabel: label.podIndex,
    templates: context.templates,
    code: 'ERR_SYNC_PCLQ_RESOURCE_CLAIM',
    place: `clique "${place.clique.name}"`,
  };
  const above = sharersAbove(place);
  const claimsOf = (index: number): readonly string[] =>
    claimsOfPod([
      ...above,
      { name: clique.name, sharedClaims: place.clique.sharedClaims, index, called: [] },
    ]);
  return { level, claimsOf };
};

/** The same where something is shared and all is well. */
export const soundSharing: Query<CliqueSharing | undefined> = (context, clique) => {
  const sharing = sharingOf(context, clique);
  return sharing === undefined || isProblem(sharing) ? undefined : sharing;
};

function sharersAbove({ set, replica, clique, group }: Place): readonly Sharer[] {
  const called = [clique.name, ...(group === undefined ? [] : [group.template.name])];
  const whole = { name: set.name, sharedClaims: set.sharing.sharedClaims, index: replica, called };
  if (group === undefined) return [whole];
  const { template, index } = group;
  const name = groupName(set.name, replica, template.name);
  return [whole, { name, sharedClaims: template.sharedClaims, index, called: [clique.name] }];
}

/** By labels and the exact name: a clique whose name ends like another's is not taken for it. */
function placeIn(set: ObservedSet, clique: ObservedClique): Place | Problem {
  const replica = numberIn(clique, label.replicaIndex);
  if (typeof replica !== 'number') return replica;
  const { [label.scalingGroup]: fullName } = clique.labels;
  if (fullName === undefined) {
    const template = set.cliques.find(
      ({ name }) => cliqueName(set.name, replica, name) === clique.name,
    );
    return template === undefined
      ? unplaced(`${clique.name} is no clique of PodCliqueSet ${set.name}`)
      : { set, replica, clique: template, group: undefined };
  }
  const group = set.groups.find(({ name }) => groupName(set.name, replica, name) === fullName);
  if (group === undefined) {
    return unplaced(
      `metadata.labels["${label.scalingGroup}"] is ${fullName}; PodCliqueSet ${set.name} has no such scaling group`,
    );
  }
  const index = numberIn(clique, label.scalingGroupIndex);
  if (typeof index !== 'number') return index;
  const member = group.members.find(
    ({ name }) => memberName(fullName, index, name) === clique.name,
  );
  return member === undefined
    ? unplaced(`${clique.name} is no clique of scaling group ${fullName}`)
    : { set, replica, clique: member, group: { template: group, index } };
}

function numberIn({ labels }: ObservedClique, key: string): number | Problem {
  const text = labels[key];
  if (text !== undefined && /^(0|[1-9]\d{0,8})$/.test(text)) return Number(text);
  const found = text === undefined ? 'is missing' : `is "${text}"`;
  return unplaced(`metadata.labels["${key}"] ${found}; it must be the number of a replica`);
}

const unplaced = (message: string): Problem => ({
  code: 'ERR_BUILD_POD_RESOURCE',
  message: `${message}: which claims its pods share is not known`,
});

/**
 * The claims that all pods share, and those of each index: a claim of an index stays as long as a
 * pod has it, whatever spec.replicas says (spec controllers 10.2 gap 12).
 */
export const ensureClaims: Step = (context, clique) => {
  const sharing = soundSharing(context, clique);
  if (sharing === undefined || sharing.level.sharedClaims.length === 0) return idle;
  const { level } = sharing;
  const wanted = wantedIndices(context, clique);
  const used = new Set(ownPods(context, clique).map(({ index }) => index));
  const isNeeded = (index: number): boolean => index < clique.replicas || used.has(index);
  return {
    intents: [
      ...ensureAt(level, undefined),
      ...wanted.flatMap((index) => ensureAt(level, index)),
      ...removeStaleClaims(level, undefined, isNeeded),
    ],
    changes: {},
  };
};

/** Those below spec.replicas, and those that pods have which live. */
function wantedIndices(context: CliqueContext, clique: ObservedClique): readonly number[] {
  const below = Array.from({ length: clique.replicas }, (_, index) => index);
  const above = livePods(context, clique)
    .map(({ index }) => index)
    .filter((index) => index !== undefined && index >= clique.replicas);
  return [...below, ...new Set(above.filter((index) => index !== undefined))];
}

/** Templates that claims are to be made from and that are not there. */
export const problemsOfSharing: Query<readonly Problem[]> = (context, clique) => {
  const level = soundSharing(context, clique)?.level;
  return level === undefined ? [] : problemsOfClaims(level);
};

/** Why no pod may be created from this spec, if so. */
export function problemOf(context: CliqueContext, clique: ObservedClique): Problem | undefined {
  if (clique.gang === undefined) {
    return {
      code: 'ERR_MISSING_PODGANG_LABEL_ON_PODCLIQUE',
      message: `metadata.labels lacks ${label.podGang}: it must name the PodGang`,
    };
  }
  if (clique.replicas > maxPodsPerClique) {
    const message = `spec.replicas is ${clique.replicas}; at most ${maxPodsPerClique} are handled`;
    return { code: 'ERR_CREATE_POD', message };
  }
  const sharing = sharingOf(context, clique);
  if (sharing !== undefined && isProblem(sharing)) return sharing;
  const scheduler = schedulerOf(context, clique);
  if (context.settings.schedulerNames.includes(scheduler)) return undefined;
  const known = context.settings.schedulerNames.join(', ');
  return {
    code: 'ERR_BUILD_POD_RESOURCE',
    message: `spec.podSpec.schedulerName "${scheduler}" is not enabled; enabled are: ${known}`,
  };
}
