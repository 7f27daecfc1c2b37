// The chart of a replica: what it lacks, whether it is available and whether it is up to date. A
// set has one row per replica; its own regions and its status read how many are in which state.
import { classified, otherwise } from '../statechart/region.ts';
import { rowChart } from '../statechart/rows.ts';
import type { Replica } from './context.ts';
import type { SetFact } from './facts.ts';
import { isReplicaAvailable, isReplicaUpdated } from './status.ts';

/** What a plan has found about a replica. */
export interface Found {
  readonly replica: Replica;
  /** False: it is to go. */
  readonly isWanted: boolean;
  /** Its children are as the spec wants them. */
  readonly isComplete: boolean;
}

export const replicaChart = rowChart<Found, SetFact>({
  children: classified({ complete: ({ isComplete }) => isComplete, pending: otherwise }),
  availability: classified({
    available: ({ replica, isWanted }, set) => isWanted && isReplicaAvailable(set, replica),
    unavailable: otherwise,
  }),
  update: classified({
    updated: ({ replica, isWanted }, set) => isWanted && isReplicaUpdated(set, replica),
    outdated: otherwise,
  }),
});
