// The chart of a replica: what it lacks, whether it is available and whether it is up to date. A
// set has one row per replica; its own regions and its status read how many are in which state.
import { classified, otherwise } from '../../statechart/region.ts';
import { rowChart } from '../../statechart/rows.ts';
import type { FoundReplica } from '../children/replicas.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { ObservedChildren } from '../objects/set-children.ts';
import { isReplicaAvailable, isReplicaUpdated } from './status.ts';

export const replicaChart = rowChart<FoundReplica<ObservedChildren>, ObservedSet>({
  children: classified({ complete: ({ isComplete }) => isComplete, pending: otherwise }),
  /** Pending: some PodGang does not show what the template wants, which its actor reads. */
  gangs: classified({ pending: ({ isPublishing }) => isPublishing, shown: otherwise }),
  availability: classified({
    available: ({ replica, isWanted }, set) => isWanted && isReplicaAvailable(set, replica),
    unavailable: otherwise,
  }),
  update: classified({
    updated: ({ replica, isWanted }, set) => isWanted && isReplicaUpdated(set, replica),
    outdated: otherwise,
  }),
});
