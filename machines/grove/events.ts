// The Events that Grove's behaviours, and its part of the edge, record, by severity and reason.
import type { EventTable } from '../contract/event-reasons.ts';

export const groveEvents = {
  Normal: {
    // -- Grove's own (spec controllers 9.3) -------------------------------------------------------
    PodDeleteSuccessful: 'pods of a PodClique are deleted, of which there are too many',
    PodCliqueDeleteSuccessful: 'a PodCliqueSet is scaled in: its surplus PodCliques are deleted',
    PodCliqueScalingGroupDeleteSuccessful:
      'a PodCliqueSet is scaled in: its surplus scaling groups are deleted',
    PodCliqueScalingGroupReplicaDeleteSuccessful:
      'the PodCliques of replicas of a scaling group are deleted: it is scaled in or updated, or they are terminated',
    ComputeDomainCreateSuccessful: 'ComputeDomains of a PodCliqueSet were created',
    ComputeDomainDeleteSuccessful: 'ComputeDomains of a PodCliqueSet were deleted',
    PodCliqueSetReplicaDeleteSuccessful:
      'gang termination has deleted the PodCliques of a replica of a PodCliqueSet',
    TopologyInSync: 'the topologies of all backends are as the ClusterTopologyBinding says',
    // -- ours -------------------------------------------------------------------------------------
    PodCliqueSetAvailable: 'all replicas of a PodCliqueSet have become available',
    PodCliqueSetUpdateStarted: 'a PodCliqueSet has another template: its update begins',
    PodCliqueSetUpdateCompleted: 'all replicas of a PodCliqueSet are of its template',
  },
  Warning: {
    // -- Grove's own (spec controllers 9.3) -------------------------------------------------------
    PodCreateFailed: 'a pod of a PodClique could not be created',
    PodDeleteFailed: 'a pod of a PodClique could not be deleted',
    PodCliqueCreateFailed: 'a PodClique, or a claim, of a scaling group could not be created',
    PodCliqueCreateOrUpdateFailed:
      'a PodClique, or what its owner makes that has no reason of its own, could not be written',
    PodCliqueDeleteFailed:
      'a PodClique, or what its owner makes that has no reason of its own, could not be deleted',
    AllScheduledReplicasLost: 'of a PodClique, or a scaling group, no scheduled replica is left',
    PodCliqueScalingGroupCreateOrUpdateFailed: 'a scaling group could not be written',
    PodCliqueScalingGroupDeleteFailed: 'a scaling group could not be deleted',
    PodGangCreateOrUpdateFailed: 'a PodGang could not be written',
    PodGangDeleteFailed: 'a PodGang could not be deleted',
    ComputeDomainCreateFailed: 'a ComputeDomain could not be created',
    ComputeDomainDeleteFailed: 'a ComputeDomain, or our finalizer on it, could not be deleted',
    PodCliqueSetReplicaDeleteFailed:
      'gang termination could not delete a PodClique of a replica of a PodCliqueSet',
    PodCliqueScalingGroupReplicaDeleteFailed:
      'gang termination could not delete a PodClique of a replica of a scaling group',
    TopologyDriftDetected: 'topologies of a backend differ from the ClusterTopologyBinding',
    KAIBackendMappingFailed:
      'the PodGroup of a PodGang cannot be made for KAI, is not ours or is not kept as written',
    VolcanoCapabilityUnavailable: 'the CRD of Volcano lacks what is needed: the controller ends',
    // -- ours -------------------------------------------------------------------------------------
    PodCliqueSetDegraded: 'replicas stopped being available without a change of the spec',
    GangTerminationPending:
      'a replica, of a PodCliqueSet or of a scaling group, is below its minimum and will be terminated',
    PodGateRemovalFailed: 'a pod could not be patched, so its scheduling gate stays',
    PodGroupSyncFailed: 'the PodGroup of a PodGang could not be written or deleted',
    VolcanoBackendMappingFailed:
      'the PodGroup of a PodGang cannot be made for Volcano, is not ours or is not kept as written',
    TopologySyncFailed: 'the topology of a backend could not be created or deleted',
  },
} as const satisfies EventTable;

declare module '../contract/event-reasons.ts' {
  interface NormalReasons extends Record<keyof typeof groveEvents.Normal, true> {}
  interface WarningReasons extends Record<keyof typeof groveEvents.Warning, true> {}
}
