// Whether a PodClique is what its spec asks for, as condition `Ready` says it: an addition to
// Grove, for kubectl, Helm and kstatus (decision 0029). It says nothing but what moves the status
// anyway, so it costs no write.
import type { ConditionReason } from '../../contract/condition-reasons.ts';
import type { ConditionRows } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { updating } from '../children/readiness.ts';
import { sayFirst } from '../last-errors.ts';
import { sufficientReason, type ObservedClique } from '../objects/podclique.ts';
import { isRunning } from '../objects/progress.ts';
import type { CliqueContext, Query } from './context.ts';
import { progressOf } from './rollout.ts';
import { countPods, problemsOf } from './status.ts';

const failureOf: Query<string | undefined> = (context, clique) =>
  sayFirst(problemsOf(context, clique), context.errors);

/** Those that the status shows. */
type Count = 'replicas' | 'scheduled' | 'updated' | 'ready';

const lacks =
  (count: Count): Query<boolean> =>
  (context, clique) =>
    countPods(context, clique)[count] < clique.replicas;

/** What keeps it from being ready, most important first. Sufficient: its owner waits for no more.
 *  Replacing: there are enough of each sort only with those that are going. */
export const readinessRegion = classified<CliqueContext, ObservedClique>({
  failing: (context, clique) => failureOf(context, clique) !== undefined,
  updating: (context, clique) => isRunning(progressOf(context, clique)),
  ready: (context, clique) => countPods(context, clique).done >= clique.replicas,
  sufficient: (context, clique) => countPods(context, clique).done >= clique.minAvailable,
  missing: lacks('replicas'),
  unscheduled: lacks('scheduled'),
  outdated: lacks('updated'),
  unready: lacks('ready'),
  replacing: otherwise,
});

const short = (reason: ConditionReason, count: Count, are: string) => ({
  status: 'False' as const,
  reason,
  message: (context: CliqueContext, clique: ObservedClique) =>
    `${countPods(context, clique)[count]} of ${clique.replicas} pods ${are}`,
});

export const ready: ConditionRows<CliqueContext, ObservedClique> = {
  region: 'readiness',
  rows: {
    failing: {
      status: 'False',
      reason: 'ReconcileFailed',
      message: (context, clique) => failureOf(context, clique) ?? '',
    },
    updating,
    ready: {
      status: 'True',
      reason: 'PodsReady',
      message: (_, { replicas }) => `${replicas} of ${replicas} pods are ready and up to date`,
    },
    sufficient: {
      status: 'False',
      reason: sufficientReason,
      message: (_, { minAvailable, replicas }) =>
        `At least ${minAvailable} of ${replicas} pods are ready and up to date`,
    },
    missing: short('PodsMissing', 'replicas', 'are there'),
    unscheduled: short('PodsUnscheduled', 'scheduled', 'are scheduled'),
    outdated: short('PodsOutdated', 'updated', 'are up to date'),
    unready: short('PodsNotReady', 'ready', 'are ready'),
    replacing: {
      status: 'False',
      reason: 'PodsReplaced',
      message: () => 'Some of the pods that are ready are being deleted',
    },
  },
};
