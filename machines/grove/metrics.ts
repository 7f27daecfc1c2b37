// The metrics that Grove proposes for its operator, under its names and with its labels, so that
// its dashboards work. src/metrics has the families; docs/metrics.md lists them.
import type { OperatorMetrics } from '../contract/module.ts';

export const operatorMetrics: OperatorMetrics = {
  statusConflicts: 'grove_operator_status_update_conflict_total',
  reconcileErrors: 'grove_operator_reconcile_errors_total',
  controllers: [
    'podcliqueset-controller',
    'podclique-controller',
    'podcliquescalinggroup-controller',
  ],
  kinds: ['PodCliqueSet', 'PodClique', 'PodCliqueScalingGroup'],
};
