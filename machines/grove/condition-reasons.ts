// The reasons of the conditions of Grove's kinds (spec controllers 2): those of Grove under its
// names, and those of `Ready`, which is ours (decision 0029).
import type { ConditionTable } from '../contract/condition-reasons.ts';

export const groveConditions = {
  // -- PodCliqueScheduled, MinAvailableBreached of a PodClique
  //   --------------------------------------
  InsufficientScheduledPods: 'fewer pods than minAvailable have a node',
  SufficientScheduledPods: 'as many pods as minAvailable, or more, have a node',
  ScheduledReplicasBelowMinAvailable: 'pods lost their nodes: the gang may be terminated',
  InsufficientReadyPods: 'fewer pods than minAvailable are ready or starting',
  SufficientReadyPods: 'as many pods as minAvailable, or more, are ready or starting',
  UpdateInProgress: 'an update runs, so a breach is not judged',
  // -- MinAvailableBreached, GangTerminationInProgress of a scaling group
  //   ---------------------------
  InsufficientAvailablePodCliqueScalingGroupReplicas: 'too many replicas of a group are in breach',
  SufficientAvailablePodCliqueScalingGroupReplicas: 'enough replicas of a group are not in breach',
  GangTerminationActive: 'the replica was terminated and has not had its minimum since',
  // -- Initialized of a PodGang
  //   ---------------------------------------------------------------------
  PodGangPodsCreated: 'all pods of the gang are there, so the scheduler may place it',
  // -- TopologyLevelsUnavailable of a PodCliqueSet
  //   --------------------------------------------------
  AllClusterTopologyLevelsAvailable: 'every level that the set asks for is in the binding',
  ClusterTopologyLevelsUnavailable: 'the binding lacks a level that the set asks for',
  ClusterTopologyNotFound: 'there is no ClusterTopologyBinding of that name',
  TopologyNameMissing: 'the set has constraints and does not say of which topology',
  TopologyAwareSchedulingDisabled: 'the set has constraints, and the feature is off',
  // -- SchedulerTopologyDrift of a ClusterTopologyBinding
  //   -------------------------------------------
  TopologyNotFound: 'a scheduler that the binding names has no topology kind here',
  InSync: 'the topologies of all schedulers are as the binding says',
  Drift: 'a topology of a scheduler differs from the binding',
  // -- Ready
  //   ----------------------------------------------------------------------------------------
  ReconcileFailed: 'a write for the object fails',
  TerminationDue: 'a replica is below its minimum, and its termination is due',
  MinAvailableReady: 'enough is ready to work, not all that the spec asks for',
  ReplicasReady: 'all replicas are available and up to date',
  ReplicasUnavailable: 'replicas are not available',
  ReplicasOutdated: 'replicas are of an older template',
  ReplicasReplaced: 'pods of replicas that are up to date are being replaced',
  PodsReady: 'all pods are ready and up to date',
  PodsMissing: 'pods are not created',
  PodsUnscheduled: 'pods have no node',
  PodsOutdated: 'pods are of an older template',
  PodsNotReady: 'pods are not ready',
  PodsReplaced: 'ready pods are being deleted',
} as const satisfies ConditionTable;

declare module '../contract/condition-reasons.ts' {
  interface ConditionReasons extends Record<keyof typeof groveConditions, true> {}
}
