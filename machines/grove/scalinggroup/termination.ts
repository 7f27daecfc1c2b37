// Gang termination of a replica of a scaling group (spec controllers 4.3): one that is in breach
// for longer than the set's delay is made again alone, as long as the group has its minimum without
// it. Where the whole group is in breach the set is in charge.
import type { Intent } from '../../contract/intents.ts';
import { deletionOf, normal, warning } from '../../contract/object-intents.ts';
import { isOwnedBy } from '../../kubernetes/meta.ts';
import { sayWhen, type EpochMs } from '../../kubernetes/time.ts';
import { classified, otherwise, type Classified } from '../../statechart/region.ts';
import { living } from '../children/reconcile.ts';
import { noTermination, replicaAt } from '../children/replicas.ts';
import type { FoundReplica, TerminationPlan } from '../children/replicas.ts';
import {
  current,
  dueFor,
  firstBreach,
  isDueBy,
  leftOf,
  startTermination,
  type Breach,
  type Moment,
} from '../children/termination.ts';
import { messageOfBreach } from '../objects/breach.ts';
import { isKept } from '../objects/kept-replicas.ts';
import { maxReplicasPerGroup } from '../objects/limits.ts';
import { placeOf } from '../objects/names.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import type { ObservedMembers, Source } from './children/member.ts';
import { isReplacing } from './rollout.ts';
import { sourceOf, type Compared, type GroupContext, type GroupReplica } from './context.ts';

/** Of a row. Due: what must survive is being recorded, or the set is in charge. */
export const terminationRegion: Classified<FoundReplica<ObservedMembers>, Compared> = classified({
  terminating: ({ termination }) => termination !== undefined,
  due: ({ dueAt }, _, now) => dueAt !== undefined && dueAt <= now,
  breached: ({ dueAt }) => dueAt !== undefined,
  met: otherwise,
});

export const membersOf = (
  { uid }: ObservedGroup,
  { children }: GroupReplica,
): readonly ObservedClique[] =>
  [...children.PodClique.values()].filter((one) => isOwnedBy(one, 'PodCliqueScalingGroup', uid));

export function breachOf(
  group: ObservedGroup,
  source: Source,
  replica: GroupReplica,
): Breach | undefined {
  const { terminationDelayMs } = source.set;
  return firstBreach(
    source.template.members.flatMap(({ name }) => {
      const member = living(replica.children.PodClique.get(name), group);
      const since = member?.observed.breachedSince;
      if (member === undefined || since === undefined) return [];
      const what = `PodClique ${member.name}`;
      const cause = `${what}: ${messageOfBreach(member)}`;
      return [{ dueAt: since + terminationDelayMs, what, cause }];
    }),
  );
}

/** Whether the group has its minimum without the replicas in breach (10.1 rule 32), and is not
 *  being updated. Asked where one is due, which is seldom: all are looked at. */
export const tolerates = (context: GroupContext, group: ObservedGroup) => (): boolean => {
  const source = sourceOf(context, group);
  if (source === undefined || isReplacing(context, group)) return false;
  let sound = group.replicas;
  for (let index = 0; index < Math.min(group.replicas, maxReplicasPerGroup); index++) {
    if (breachOf(group, source, replicaAt(context, index)) !== undefined) sound--;
  }
  return sound >= group.minAvailable;
};

export interface TerminationOf extends Moment {
  readonly replica: GroupReplica;
  /** See `tolerates`. */
  readonly mayTerminate: () => boolean;
}

export function planTermination(
  group: ObservedGroup,
  source: Source,
  index: number,
  { replica, mayTerminate, ...moment }: TerminationOf,
): TerminationPlan {
  const { now, plannedSince } = moment;
  const breach = breachOf(group, source, replica);
  if (breach === undefined && replica.termination === undefined) return noTermination;
  const members = membersOf(group, replica);
  const running = current(replica.termination, members, breach, moment, (dueAt) =>
    startTermination(members, dueAt, isDueBy(source.set.terminationDelayMs, now)),
  );
  const nextAt = breach && dueFor(breach, plannedSince);
  if (running === undefined) return { ...noTermination, dueAt: nextAt };
  const left = leftOf(running, members);
  const { dueAt } = running;
  const isNew = running !== replica.termination;
  if (isNew && (!mayTerminate() || !left.every((one) => isRecorded(group, source, one)))) {
    return { ...noTermination, dueAt };
  }
  if (left.length > 0) {
    const reason = `replica ${index} of the scaling group is terminated`;
    // What tells that it is due goes last: a process that starts meanwhile goes on.
    const isDue = isDueBy(source.set.terminationDelayMs, now);
    const others = left.filter((member) => !isDue(member));
    const goes = others.length > 0 ? others : left;
    const intents = goes.map((member) => deletionOf(member, reason));
    return { ...noTermination, intents, dueAt, termination: running };
  }
  const note = `PodCliqueScalingGroup ${group.name} replica ${index} deleted`;
  const reason = 'PodCliqueScalingGroupReplicaDeleteSuccessful';
  const said = running.isTold ? [] : [normal(source.set, reason, note)];
  return { intents: [], said, dueAt: nextAt };
}

export const isScaled = (group: ObservedGroup, source: Source, member: ObservedClique): boolean => {
  const slot = placeOf(group.name, member.name)?.slot;
  const template = source.template.members.find(({ name }) => name === slot);
  return template !== undefined && template.replicas !== member.replicas;
};

const isRecorded = (group: ObservedGroup, source: Source, member: ObservedClique): boolean =>
  !isScaled(group, source, member) || isKept(group.kept, member);

/** As of a set. It is told where the group has its minimum without: else the set tells. */
export function tellBreaches(
  before: GroupContext,
  after: Pick<GroupContext, 'dueAt' | 'replicas' | 'unseen'>,
  group: ObservedGroup,
  now: EpochMs,
): readonly Intent[] {
  const context = { ...before, ...after };
  const source = sourceOf(before, group);
  if (before.planned === undefined || source === undefined) return [];
  const fresh = [...after.dueAt].filter(([index, at]) => at > now && !before.dueAt.has(index));
  const [first] = fresh.toSorted(([, a], [, b]) => a - b);
  if (first === undefined || !tolerates(context, group)()) return [];
  const [index, at] = first;
  const { cause = '' } = breachOf(group, source, replicaAt(after, index)) ?? {};
  const more = fresh.length > 1 ? ` (and ${fresh.length - 1} more replicas)` : '';
  const what = `PodCliqueScalingGroup ${group.name} replica ${index}`;
  const note = `${what} is terminated ${sayWhen(at, now)}, unless it recovers: ${cause}${more}`;
  return [warning(source.set, 'GangTerminationPending', note)];
}
