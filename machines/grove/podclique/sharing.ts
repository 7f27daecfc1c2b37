// What a PodClique shares (spec controllers 8.2): the claims that it makes itself, and those of its
// set and its scaling group that its pods get as well. Both come from the template of the set,
// which it reads where something is shared.
import { claimsOfPod } from '../claims/inject.ts';
import type { Sharer } from '../claims/inject.ts';
import type { ClaimScope } from '../claims/scope.ts';
import { label } from '../objects/labels.ts';
import { cliqueName, groupName, memberName } from '../objects/names.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { Problem } from '../objects/set-problem.ts';
import type { CliqueTemplate, GroupTemplate } from '../objects/template.ts';
import type { CliqueContext } from './context.ts';

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
function sharingOf(
  context: CliqueContext,
  clique: ObservedClique,
): CliqueSharing | Problem | undefined {
  const { set } = context;
  if (set === undefined || !set.sharing.isUsed) return undefined;
  if (clique.owner?.kind === 'PodCliqueSet' && clique.owner.uid !== set.uid) {
    return unplaced(`${clique.name} belongs to an earlier PodCliqueSet ${set.name}`);
  }
  const place = placeIn(set, clique);
  if (isProblem(place)) return place;
  const level: ClaimScope = {
    owner: clique,
    set: set.name,
    sharedClaims: place.clique.sharedClaims,
    labels: { [label.podClique]: clique.name },
    indexLabel: label.podIndex,
    own: set.sharing.own,
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
}

/** The same where something is shared and all is well. */
export function soundSharing(
  context: CliqueContext,
  clique: ObservedClique,
): CliqueSharing | undefined {
  const sharing = sharingOf(context, clique);
  return sharing === undefined || isProblem(sharing) ? undefined : sharing;
}

/** What keeps it from being known which claims its pods get, if anything does. */
export function sharingProblem(
  context: CliqueContext,
  clique: ObservedClique,
): Problem | undefined {
  const sharing = sharingOf(context, clique);
  return sharing !== undefined && isProblem(sharing) ? sharing : undefined;
}

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
