// Why a PodCliqueSet is not available, in sentences for people, most important first.
import { maxListed } from '../../contract/limits.ts';
import { whyThere } from '../../kubernetes/deletion.ts';
import type { JsonObject } from '../../kubernetes/objects.ts';
import { entries } from '../children/radix.ts';
import { living, whyMissing } from '../children/reconcile.ts';
import { replicaAt } from '../children/replicas.ts';
import { claimsAwaited, whyAwaited } from '../claims/scope.ts';
import { sayError, sayErrors } from '../../contract/failure-log.ts';
import { finalizer } from '../objects/labels.ts';
import { cliqueName, domainName, groupName } from '../objects/names.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import { wantedGangs } from './children/wanted-gangs.ts';
import { isIn, replicasIn, sharedIn, topologyOf } from './context.ts';
import type { Query, Replica, SetContext } from './context.ts';
import { problemsOf } from './status.ts';
import { deletionsAwaited } from './steps/delete-all.ts';
import { firstTermination } from './termination.ts';

export function whyTerminating(context: SetContext, set: ObservedSet): string {
  const waited = deletionsAwaited(context, set).map(({ kind, name }) => `${kind} ${name}`);
  return whyThere(`PodCliqueSet ${set.name}`, set, { ours: finalizer.set, waited });
}

export const explainProblems: Query<readonly string[]> = (context, set) => [
  ...problemsOf(context, set).map((problem) => problem.message),
  ...sayErrors(context.errors),
];

/** Replicas that are available and not of the template, where no update runs. */
export const explainOutdated: Query<readonly string[]> = (context, set) => {
  const updated = `${replicasIn(context, 'update.updated')} of ${set.replicas} replicas are of the template`;
  return set.updatesOnDelete
    ? [`${updated}: the strategy is OnDelete, so a pod is replaced when somebody deletes it`]
    : [];
};

export const fine: Query<string> = (context, set) =>
  `${replicasIn(context, 'availability.available')} of ${set.replicas} replicas are available; nothing is waited for`;

export function whyReplicas(context: SetContext, set: ObservedSet): readonly string[] {
  const reasons: string[] = [];
  const shared = sharedIn(context, set);
  for (const [index, replica] of unfinished(context, set)) {
    const claims = claimsAwaited(shared, index).map(whyAwaited);
    const fresh = claims.filter((reason) => !reasons.includes(reason));
    reasons.push(...fresh, ...whyReplica(set, index, replica));
    if (reasons.length >= maxListed) break;
  }
  const left = set.replicas - replicasIn(context, 'availability.available');
  const summary = `${left} of ${set.replicas} replicas are not available`;
  return left > 1 && reasons.length > 0 ? [summary, ...reasons] : reasons;
}

/** Replicas that are not available, or lack something, from the first. */
function* unfinished(context: SetContext, set: ObservedSet): Iterable<[number, Replica]> {
  for (let index = 0; index < set.replicas; index++) {
    const replica = replicaAt(context, index);
    const isFine = isIn(replica, 'availability.available') && isIn(replica, 'children.complete');
    if (!isFine) yield [index, replica];
  }
}

/** What a replica waits for; empty where that is nothing. */
export function whyReplica(set: ObservedSet, index: number, replica: Replica): readonly string[] {
  const reasons = [
    ...whyCliques(set, index, replica),
    ...whyGroups(set, index, replica),
    ...whyDomains(set, index, replica),
  ];
  if (reasons.length > 0) return reasons;
  return wantedGangs({ set, index, replica })
    .filter(({ slot }) => living(replica.children.PodGang.get(slot), set) === undefined)
    .map(({ name, slot }) =>
      whyMissing(`PodGang ${name}`, replica.children.PodGang.get(slot), earlier(set)),
    );
}

const earlier = ({ kind, name }: ObservedSet): string => `${kind} ${name}`;

/** Pods that share a domain do not start without it. One that was never made is no news: either the
 *  switch is off, or the errors say it. */
const whyDomains = (set: ObservedSet, index: number, { children }: Replica): readonly string[] =>
  set.domainGroups.flatMap((group) => {
    const there = children.ComputeDomain.get(group);
    if (there === undefined || living(there, set) !== undefined) return [];
    return [whyMissing(`ComputeDomain ${domainName(set.name, index, group)}`, there, earlier(set))];
  });

const whyCliques = (set: ObservedSet, index: number, { children }: Replica): readonly string[] =>
  set.cliques.flatMap(({ name, minAvailable }) => {
    const there = children.PodClique.get(name);
    const what = `PodClique ${cliqueName(set.name, index, name)}`;
    const { observed } = living(there, set) ?? {};
    if (observed === undefined) return [whyMissing(what, there, earlier(set))];
    const { readyReplicas: ready, scheduledReplicas } = observed;
    return ready >= minAvailable
      ? []
      : [
          `${what}: ${ready} of at least ${minAvailable} pods ready, ${scheduledReplicas} scheduled`,
        ];
  });

const whyGroups = (set: ObservedSet, index: number, { children }: Replica): readonly string[] =>
  set.groups.flatMap(({ name, minAvailable }) => {
    const there = children.PodCliqueScalingGroup.get(name);
    const what = `PodCliqueScalingGroup ${groupName(set.name, index, name)}`;
    const { observed } = living(there, set) ?? {};
    if (observed === undefined) return [whyMissing(what, there, earlier(set))];
    const { availableReplicas: many, scheduledReplicas } = observed;
    const available = `${many} of at least ${minAvailable} replicas available`;
    return many >= minAvailable ? [] : [`${what}: ${available}, ${scheduledReplicas} scheduled`];
  });

/** For `/actors` and `ask state`. */
export function view(context: SetContext): JsonObject {
  let known = 0;
  for (const _ of entries(context.replicas)) known++;
  return {
    uid: context.set?.uid ?? null,
    generation: context.set?.generation ?? null,
    wanted: context.set?.replicas ?? null,
    known,
    pending: replicasIn(context, 'children.pending'),
    available: replicasIn(context, 'availability.available'),
    updated: replicasIn(context, 'update.updated'),
    termination:
      context.set === undefined ? null : (firstTermination(context, context.set) ?? null),
    topology: viewTopology(context),
    errors: context.errors.map(sayError),
  };
}

function viewTopology(context: SetContext): JsonObject | null {
  const { set } = context;
  const topology = set === undefined ? undefined : topologyOf(context, set);
  if (topology === undefined || topology.name === '') return null;
  const { name, levels } = topology;
  return { name, levels: levels?.map(({ domain, key }) => ({ domain, key })) ?? null };
}
