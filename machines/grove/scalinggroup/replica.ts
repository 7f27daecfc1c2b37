// The chart of a replica of a scaling group (spec controllers 2.2): what it lacks, and how far its
// members are. A group has one row per replica; its own regions and its status read how many are in
// which state.
import { classified, otherwise } from '../../statechart/region.ts';
import { rowChart } from '../../statechart/rows.ts';
import { living } from '../children/reconcile.ts';
import type { FoundReplica } from '../children/replicas.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { ObservedGroup } from '../objects/scalinggroup.ts';
import type { CliqueTemplate } from '../objects/template.ts';
import { breachOf, isScheduled } from './children/member.ts';
import type { ObservedMembers, Source } from './children/member.ts';

/** What members are compared with. */
export interface Compared {
  readonly group: ObservedGroup;
  /** Undefined: nothing is known of the template. */
  readonly source: Source | undefined;
}

type Row = FoundReplica<ObservedMembers>;
type Test = (member: ObservedClique, template: CliqueTemplate, source: Source) => boolean;

/** Every member is there, stays, and is so; there is at least one. */
const isEach =
  (test: Test) =>
  ({ replica, isWanted }: Row, { group, source }: Compared): boolean => {
    const templates = source?.template.members ?? [];
    if (!isWanted || source === undefined || templates.length === 0) return false;
    return templates.every((template) => {
      const member = living(replica.children.PodClique.get(template.name), group);
      return member !== undefined && test(member, template, source);
    });
  };

const isReady: Test = (member) =>
  isScheduled(member) && member.observed.readyReplicas >= member.minAvailable;

/** It has reached the set's generation, ready or not. */
const isReached: Test = ({ templateHash, observed }, { hash }, { set }) =>
  templateHash === hash &&
  observed.templateHash === hash &&
  observed.generationHash === set.generationHash;

/** With enough ready pods. */
export const isUpdated: Test = (member, template, source) => {
  const { observed, minAvailable } = member;
  const many = Math.min(observed.readyReplicas, observed.updatedReplicas);
  return many >= minAvailable && isReached(member, template, source);
};

const isSound: Test = (member) => {
  const breach = breachOf(member);
  return breach !== undefined && breach !== 'True';
};

export const replicaChart = rowChart<Row, Compared>({
  members: classified({ complete: ({ isComplete }) => isComplete, pending: otherwise }),
  scheduling: classified({ scheduled: isEach(isScheduled), unscheduled: otherwise }),
  availability: classified({ available: isEach(isReady), unavailable: otherwise }),
  update: classified({
    updated: isEach((...of) => isReady(...of) && isUpdated(...of)),
    /** At the set's generation. */
    reached: isEach(isReached),
    outdated: otherwise,
  }),
  /** Sound: complete, and no member is breached or unknown. */
  breach: classified({ sound: isEach(isSound), unsound: otherwise }),
});
