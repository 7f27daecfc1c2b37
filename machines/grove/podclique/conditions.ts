// What the conditions of a PodClique say in each state (spec controllers 2.1). A new PodClique is
// breached from its first status on, and Unknown while it is updated.
import type { ConditionRows } from '../../statechart/define.ts';
import type { ObservedClique } from '../objects/podclique.ts';
import type { CliqueContext, Query } from './context.ts';
import { countPods } from './status.ts';

type Rows = ConditionRows<CliqueContext, ObservedClique>;
type Row = NonNullable<Rows['rows'][string]>;

const insufficient: Row = {
  status: 'False',
  reason: 'InsufficientScheduledPods',
  message: (context, clique) => `Insufficient scheduled pods. ${scheduledOf(context, clique)}`,
};

const scheduledOf: Query<string> = (context, clique) =>
  `expected at least: ${clique.minAvailable}, found: ${countPods(context, clique).scheduled}`;

export const scheduled: Rows = {
  region: 'scheduling',
  rows: {
    lost: insufficient,
    insufficient,
    sufficient: {
      status: 'True',
      reason: 'SufficientScheduledPods',
      message: (context, clique) =>
        `Sufficient scheduled pods found. ${scheduledOf(context, clique)}`,
    },
  },
};

const goodOf: Query<string> = (context, clique) =>
  `expected at least: ${clique.minAvailable}, found: ${countPods(context, clique).good}`;

export const breached: Rows = {
  region: 'breach',
  rows: {
    updating: {
      status: 'Unknown',
      reason: 'UpdateInProgress',
      message: () => 'Update is in progress',
    },
    unscheduled: {
      status: 'True',
      reason: 'ScheduledReplicasBelowMinAvailable',
      message: (context, clique) =>
        `Scheduled replicas (${countPods(context, clique).scheduled}) below MinAvailable (${clique.minAvailable})`,
    },
    unready: {
      status: 'True',
      reason: 'InsufficientReadyPods',
      message: (context, clique) =>
        `Insufficient ready or starting pods. ${goodOf(context, clique)}`,
    },
    met: {
      status: 'False',
      reason: 'SufficientReadyPods',
      message: (context, clique) =>
        `Either sufficient ready or starting pods found. ${goodOf(context, clique)}`,
    },
  },
};
