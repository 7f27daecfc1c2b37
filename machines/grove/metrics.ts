// The metrics that Grove proposes for its operator, under its names and with its labels, so that
// its dashboards work. src/metrics has the families; docs/metrics.md lists them.

export const operatorMetrics = {
  statusConflicts: 'grove_operator_status_update_conflict_total',
  reconcileErrors: 'grove_operator_reconcile_errors_total',
  /** Others are not counted there. */
  controllers: [
    'podcliqueset-controller',
    'podclique-controller',
    'podcliquescalinggroup-controller',
  ],
  kinds: ['PodCliqueSet', 'PodClique', 'PodCliqueScalingGroup'],
} as const;
