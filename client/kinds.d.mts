// Written by `npm run surface` from tools/crds; do not edit by hand.
// Pods and what belongs to them are as in Kubernetes 1.35.5.

/** The type of each kind by its name. */
export interface Kinds {
  ClusterTopologyBinding: ClusterTopologyBinding;
  PodClique: PodClique;
  PodCliqueScalingGroup: PodCliqueScalingGroup;
  PodCliqueSet: PodCliqueSet;
  PodGang: PodGang;
  ComputeDomain: ComputeDomain;
  ComputeDomainClique: ComputeDomainClique;
  Sandbox: Sandbox;
  SandboxTemplate: SandboxTemplate;
  SandboxClaim: SandboxClaim;
  SandboxWarmPool: SandboxWarmPool;
}

/** The topology of the nodes. */
export interface ClusterTopologyBindingSpec {
  /** The levels, from the broadest to the narrowest. */
  levels: ClusterTopologyBindingSpecLevels[];
  /** Schedulers whose topology object is not made by us, only compared. */
  schedulerTopologyBindings?: ClusterTopologyBindingSpecSchedulerTopologyBindings[];
}

/** One level of the hierarchy. */
export interface ClusterTopologyBindingSpecLevels {
  /** Name that workloads use, e.g. zone, block, rack, host. */
  domain: string;
  /** Node label whose value tells the domains of this level apart. */
  key: string;
}

/** A topology object that somebody else looks after. */
export interface ClusterTopologyBindingSpecSchedulerTopologyBindings {
  /** The scheduler. */
  schedulerName: string;
  /** Name of the scheduler's own topology object. */
  topologyReference: string;
}

/** What was observed. */
export interface ClusterTopologyBindingStatus {
  /** Observations about the binding. */
  conditions?: Condition[];
  /** The last metadata.generation that was fully processed. */
  observedGeneration?: number;
  /** One entry for each scheduler that knows topologies. */
  schedulerTopologyStatuses?: ClusterTopologyBindingStatusSchedulerTopologyStatuses[];
}

/** One observation about the object, with the time of its last change. */
export interface Condition {
  /** When status last changed from one value to another. */
  lastTransitionTime: string;
  /** Details for a person; may be empty. */
  message: string;
  /** The metadata.generation that this observation is about. */
  observedGeneration?: number;
  /** One CamelCase word for a program: why the status is what it is. */
  reason: string;
  /** Whether the observation holds. */
  status: "True" | "False" | "Unknown";
  /** Name of the observation. */
  type: string;
}

/** State of the topology object of one scheduler. */
export interface ClusterTopologyBindingStatusSchedulerTopologyStatuses {
  /** The scheduler. */
  schedulerName: string;
  /** Name of the scheduler's own topology object. */
  topologyReference: string;
  /** Whether it has the same levels as the spec. */
  inSync: boolean;
  /** What differs. */
  message?: string;
  /** Generation of the object that was compared. */
  schedulerBackendTopologyObservedGeneration?: number;
}

/** Names the levels of the network and node hierarchy of a cluster. */
export interface ClusterTopologyBinding {
  apiVersion: 'grove.io/v1alpha1';
  kind: 'ClusterTopologyBinding';
  metadata: ObjectMeta;
  /** The topology of the nodes. */
  spec: ClusterTopologyBindingSpec;
  /** What was observed. */
  status?: ClusterTopologyBindingStatus;
}

/** The pods that are wanted. */
export interface PodCliqueSpec {
  /** Horizontal autoscaling of a clique outside scaling groups. */
  autoScalingConfig?: AutoScaling;
  /** Pods that must be scheduled together and stay available; default: replicas. */
  minAvailable?: number;
  podSpec: PodSpec;
  /** How many pods to run. */
  replicas: number;
  /** Role of these pods; unique among the cliques of a set. */
  roleName: string;
  /** Cliques that must be up before these pods start. */
  startsAfter?: string[];
}

/** Horizontal autoscaling of a clique outside scaling groups. */
export interface AutoScaling {
  /** The autoscaler never goes above this. */
  maxReplicas: number;
  /** What the autoscaler looks at; empty: 80 % of the requested CPU. */
  metrics?: MetricSpec[];
  /** The autoscaler never goes below this; default: the replicas above. */
  minReplicas?: number;
}

/** What was observed. */
export interface PodCliqueStatus {
  /** Observations about the clique. */
  conditions?: Condition[];
  /** Template generation of the set that is in effect. */
  currentPodCliqueSetGenerationHash?: string;
  /** Hash of the pod template that is in effect. */
  currentPodTemplateHash?: string;
  /** Label selector of the pods, for the autoscaler. */
  hpaPodSelector?: string;
  /** Errors of the most recent attempt that ended early. */
  lastErrors?: LastError[];
  /** The last metadata.generation that was fully processed. */
  observedGeneration?: number;
  /** Pods that are ready. Default: 0. */
  readyReplicas?: number;
  /** Pods that exist and are not being deleted. */
  replicas?: number;
  /** Pods that still wait behind a scheduling gate. Default: 0. */
  scheduleGatedReplicas?: number;
  /** Pods that have a node. Default: 0. */
  scheduledReplicas?: number;
  /** How far the pods have come in an update of the template. */
  updateProgress?: PodCliqueStatusUpdateProgress;
  /** Pods that were made from the current template. Default: 0. */
  updatedReplicas?: number;
}

/** One error, kept for people to read. */
export interface LastError {
  /** Code of the error. */
  code: string;
  /** What was attempted and what went wrong. */
  description: string;
  /** When the error happened. */
  observedAt: string;
}

/** How far the pods have come in an update of the template. */
export interface PodCliqueStatusUpdateProgress {
  /** Template generation of the set that is aimed at. */
  podCliqueSetGenerationHash: string;
  /** Hash of the pod template that is aimed at. */
  podTemplateHash: string;
  /** Ready pods that the update replaces. */
  readyPodsSelectedToUpdate?: PodCliqueStatusUpdateProgressReadyPodsSelectedToUpdate;
  /** When the update was done; absent while it runs. */
  updateEndedAt?: string;
  /** When the update began. */
  updateStartedAt?: string;
}

/** Ready pods that the update replaces. */
export interface PodCliqueStatusUpdateProgressReadyPodsSelectedToUpdate {
  /** Pods that were replaced. */
  completed?: string[];
  /** Pod that is being replaced. */
  current: string;
}

/** A group of pods with the same role. Made by Coppice for each clique of a PodCliqueSet. */
export interface PodClique {
  apiVersion: 'grove.io/v1alpha1';
  kind: 'PodClique';
  metadata: ObjectMeta;
  /** The pods that are wanted. */
  spec: PodCliqueSpec;
  /** What was observed. */
  status?: PodCliqueStatus;
}

/** The group that is wanted. */
export interface PodCliqueScalingGroupSpec {
  /** Short names of the member cliques. */
  cliqueNames: string[];
  /** Replicas that are scheduled together and must stay available. Default: 1. */
  minAvailable?: number;
  /** How many copies of the member cliques to run. Default: 1. */
  replicas?: number;
}

/** What was observed. */
export interface PodCliqueScalingGroupStatus {
  /** Scheduled replicas with enough ready pods in every member. Default: 0. */
  availableReplicas?: number;
  /** Observations about the group. */
  conditions?: Condition[];
  /** Template generation of the set that is in effect. */
  currentPodCliqueSetGenerationHash?: string;
  /** Errors of the most recent attempt that ended early. */
  lastErrors?: LastError[];
  /** The last metadata.generation that was fully processed. */
  observedGeneration?: number;
  /** Replicas that are wanted. */
  replicas?: number;
  /** Replicas in which every member is scheduled. Default: 0. */
  scheduledReplicas?: number;
  /** Label selector of the pods, for the autoscaler. */
  selector?: string;
  /** How far the replicas have come in an update of the template. */
  updateProgress?: PodCliqueScalingGroupStatusUpdateProgress;
  /** Available replicas on the current template. Default: 0. */
  updatedReplicas?: number;
}

/** How far the replicas have come in an update of the template. */
export interface PodCliqueScalingGroupStatusUpdateProgress {
  /** Template generation of the set that is aimed at. */
  podCliqueSetGenerationHash: string;
  /** Ready replicas that the update replaces. */
  readyReplicaIndicesSelectedToUpdate?: PodCliqueScalingGroupStatusUpdateProgressReadyReplicaIndicesSelectedToUpdate;
  /** Member PodCliques. Default: 0. */
  totalPodCliquesCount?: number;
  /** When the update was done; absent while it runs. */
  updateEndedAt?: string;
  /** When the update began. */
  updateStartedAt: string;
  /** Member PodCliques on the new template. Default: 0. */
  updatedPodCliquesCount?: number;
}

/** Ready replicas that the update replaces. */
export interface PodCliqueScalingGroupStatusUpdateProgressReadyReplicaIndicesSelectedToUpdate {
  /** Replicas that were replaced. */
  completed?: number[];
  /** Replica that is being replaced. */
  current: number;
}

/** Cliques that are scaled and scheduled as one. Made by Coppice for each group of a set. */
export interface PodCliqueScalingGroup {
  apiVersion: 'grove.io/v1alpha1';
  kind: 'PodCliqueScalingGroup';
  metadata: ObjectMeta;
  /** The group that is wanted. */
  spec: PodCliqueScalingGroupSpec;
  /** What was observed. */
  status?: PodCliqueScalingGroupStatus;
}

/** The set that is wanted. */
export interface PodCliqueSetSpec {
  /** How many complete copies of the template to run. Default: 0. */
  replicas?: number;
  /** What one replica is made of. */
  template: PodCliqueSetSpecTemplate;
  /** How a changed template reaches the replicas. */
  updateStrategy?: PodCliqueSetSpecUpdateStrategy;
}

/** What one replica is made of. */
export interface PodCliqueSetSpecTemplate {
  /** In which order the cliques start: all at once, in the order of the list, or as startsAfter says. Default: "CliqueStartupTypeAnyOrder". */
  cliqueStartupType?: "CliqueStartupTypeAnyOrder" | "CliqueStartupTypeInOrder" | "CliqueStartupTypeExplicit";
  /** The roles of a replica. */
  cliques: PodCliqueSetSpecTemplateCliques[];
  /** Options of the headless Service of each replica. */
  headlessServiceConfig?: PodCliqueSetSpecTemplateHeadlessServiceConfig;
  /** Groups of cliques that scale as one. */
  podCliqueScalingGroups?: PodCliqueSetSpecTemplatePodCliqueScalingGroups[];
  /** Priority class of the gangs; not copied to the pods. */
  priorityClassName?: string;
  /** Claim templates for resourceSharing entries. */
  resourceClaimTemplates?: PodCliqueSetSpecTemplateResourceClaimTemplates[];
  /** Claims that the pods of the set share. */
  resourceSharing?: PodCliqueSetSpecTemplateResourceSharing[];
  /** How long too few pods may be available before the gang is ended, e.g. 4h0m0s. */
  terminationDelay?: string;
  /** Where each replica of the set is placed. */
  topologyConstraint?: TopologyConstraint;
}

/** One role of the set. */
export interface PodCliqueSetSpecTemplateCliques {
  /** Copied to the PodClique and its pods. */
  annotations?: Record<string, string>;
  /** Copied to the PodClique and its pods; our own keys win. */
  labels?: Record<string, string>;
  /** Short name, unique in the set. */
  name: string;
  /** Claims that the pods of this clique share. */
  resourceSharing?: PodCliqueSetSpecTemplateCliquesResourceSharing[];
  /** The pods of this role. */
  spec: PodCliqueSpec;
  /** Where the pods of this clique are placed. */
  topologyConstraint?: TopologyConstraint;
}

/** A claim that several pods share. */
export interface PodCliqueSetSpecTemplateCliquesResourceSharing {
  /** The template of the claim: one of spec.template.resourceClaimTemplates, else a ResourceClaimTemplate object. */
  name: string;
  /** Namespace of the ResourceClaimTemplate object; absent: our own. */
  namespace?: string;
  /** One claim for all replicas of the owner, or one for each. */
  scope: "AllReplicas" | "PerReplica";
}

/** Where the pods of this clique are placed. */
export interface TopologyConstraint {
  /** How tightly to place the pods. At least one of the two fields must be set. */
  pack?: TopologyConstraintPack;
  /** Old spelling of pack.required. Deprecated. */
  packDomain?: string;
  /** The ClusterTopologyBinding that defines the domains; inherited from above if absent. */
  topologyName?: string;
}

/** How tightly to place the pods. At least one of the two fields must be set. */
export interface TopologyConstraintPack {
  /** Domain to aim for; placement elsewhere is allowed. */
  preferred?: string;
  /** Domain that must hold all pods; without room in one, nothing is scheduled. */
  required?: string;
}

/** Options of the headless Service of each replica. */
export interface PodCliqueSetSpecTemplateHeadlessServiceConfig {
  /** Give pods a DNS name before they are ready. Default: true. */
  publishNotReadyAddresses?: boolean;
}

/** Cliques that are scaled and scheduled together. */
export interface PodCliqueSetSpecTemplatePodCliqueScalingGroups {
  /** Copied to the PodCliqueScalingGroup. */
  annotations?: Record<string, string>;
  /** The member cliques. */
  cliqueNames: string[];
  /** Replicas that are scheduled together and must stay available. Default: 1. */
  minAvailable?: number;
  /** Short name, unique in the set. */
  name: string;
  /** Replicas that the group starts with. Default: 1. */
  replicas?: number;
  /** Claims that the member cliques share. */
  resourceSharing?: PodCliqueSetSpecTemplatePodCliqueScalingGroupsResourceSharing[];
  /** Horizontal autoscaling of the group. */
  scaleConfig?: AutoScaling;
  /** Where each replica of the group is placed. */
  topologyConstraint?: TopologyConstraint;
}

/** A claim that several pods share. */
export interface PodCliqueSetSpecTemplatePodCliqueScalingGroupsResourceSharing {
  /** The template of the claim: one of spec.template.resourceClaimTemplates, else a ResourceClaimTemplate object. */
  name: string;
  /** Namespace of the ResourceClaimTemplate object; absent: our own. */
  namespace?: string;
  /** One claim for all replicas of the owner, or one for each. */
  scope: "AllReplicas" | "PerReplica";
  /** Which member cliques get the claim; absent: all of them. */
  filter?: PodCliqueSetSpecTemplatePodCliqueScalingGroupsResourceSharingFilter;
}

/** Which member cliques get the claim; absent: all of them. */
export interface PodCliqueSetSpecTemplatePodCliqueScalingGroupsResourceSharingFilter {
  /** Names of cliques of the template that get the claim. */
  childCliqueNames?: string[];
}

/** A named template of resource claims. */
export interface PodCliqueSetSpecTemplateResourceClaimTemplates {
  /** Name that resourceSharing entries refer to. */
  name: string;
  templateSpec: ResourceClaimTemplateSpec;
}

/** A claim that several pods share. */
export interface PodCliqueSetSpecTemplateResourceSharing {
  /** The template of the claim: one of spec.template.resourceClaimTemplates, else a ResourceClaimTemplate object. */
  name: string;
  /** Namespace of the ResourceClaimTemplate object; absent: our own. */
  namespace?: string;
  /** One claim for all replicas of the owner, or one for each. */
  scope: "AllReplicas" | "PerReplica";
  /** Which children get the claim; absent: all of them. */
  filter?: PodCliqueSetSpecTemplateResourceSharingFilter;
}

/** Which children get the claim; absent: all of them. */
export interface PodCliqueSetSpecTemplateResourceSharingFilter {
  /** Names of cliques of the template that get the claim. */
  childCliqueNames?: string[];
  /** Names of scaling groups that get the claim. */
  childScalingGroupNames?: string[];
}

/** How a changed template reaches the replicas. */
export interface PodCliqueSetSpecUpdateStrategy {
  /** RollingRecreate replaces one replica at a time; OnDelete waits for pods to be deleted. Default: "RollingRecreate". */
  type?: "RollingRecreate" | "OnDelete";
}

/** What was observed. */
export interface PodCliqueSetStatus {
  /** Replicas in which every part has its minimum available. Default: 0. */
  availableReplicas?: number;
  /** Observations about the set. */
  conditions?: Condition[];
  /** Hash of the pod templates that are in effect. */
  currentGenerationHash?: string;
  /** Label selector of the pods, for the autoscaler. */
  hpaPodSelector?: string;
  /** Errors of the most recent attempt that ended early. */
  lastErrors?: LastError[];
  /** The last metadata.generation that was fully processed. */
  observedGeneration?: number;
  /** State of the gangs. */
  podGangStatuses?: PodCliqueSetStatusPodGangStatuses[];
  /** Replicas that are wanted. */
  replicas?: number;
  /** How far the replicas have come in an update of the template. */
  updateProgress?: PodCliqueSetStatusUpdateProgress;
  /** Replicas that are fully on the current template. Default: 0. */
  updatedReplicas?: number;
}

/** State of one gang. */
export interface PodCliqueSetStatusPodGangStatuses {
  /** Observations about the gang. */
  conditions?: Condition[];
  /** Name of the PodGang. */
  name: string;
  /** Where the gang is in its life. */
  phase: "Pending" | "Starting" | "Running" | "Failed" | "Succeeded";
}

/** How far the replicas have come in an update of the template. */
export interface PodCliqueSetStatusUpdateProgress {
  /** Replicas that are being updated. */
  currentlyUpdating?: PodCliqueSetStatusUpdateProgressCurrentlyUpdating[];
  /** Scaling groups in the set. Default: 0. */
  totalPodCliqueScalingGroupsCount?: number;
  /** PodCliques in the set that are in no scaling group. Default: 0. */
  totalPodCliquesCount?: number;
  /** When the update was done; absent while there is work left. */
  updateEndedAt?: string;
  /** When the update began. */
  updateStartedAt?: string;
  /** Scaling groups on the new template. Default: 0. */
  updatedPodCliqueScalingGroupsCount?: number;
  /** PodCliques outside scaling groups on the new template. Default: 0. */
  updatedPodCliquesCount?: number;
}

/** A replica in flight. */
export interface PodCliqueSetStatusUpdateProgressCurrentlyUpdating {
  /** Index of the replica. */
  replicaIndex: number;
  /** When this replica was done. */
  updateEndedAt?: string;
  /** When this replica began. */
  updateStartedAt?: string;
}

/** A workload of several roles whose pods are scheduled together, any number of times. */
export interface PodCliqueSet {
  apiVersion: 'grove.io/v1alpha1';
  kind: 'PodCliqueSet';
  metadata: ObjectMeta;
  /** The set that is wanted. */
  spec: PodCliqueSetSpec;
  /** What was observed. */
  status?: PodCliqueSetStatus;
}

/** The gang that is to be scheduled. */
export interface PodGangSpec {
  /** The groups of pods that are scheduled all or none. */
  podgroups: PodGangSpecPodgroups[];
  /** Priority of the gang. */
  priorityClassName?: string;
  /** An earlier gang whose reserved places may be used again. */
  reuseReservationRef?: PodGangSpecReuseReservationRef;
  /** Where the whole gang is placed. */
  topologyConstraint?: PodGangSpecTopologyConstraint;
  /** Constraints on several pod groups at once. */
  topologyConstraintGroupConfigs?: PodGangSpecTopologyConstraintGroupConfigs[];
}

/** The pods of one PodClique. */
export interface PodGangSpecPodgroups {
  /** Pods of this group that must be scheduled together. */
  minReplicas: number;
  /** Name of the PodClique. */
  name: string;
  /** The pods of this group, sorted by name. */
  podReferences: PodGangSpecPodgroupsPodReferences[];
  /** Where the pods of this group are placed. */
  topologyConstraint?: PodGangSpecPodgroupsTopologyConstraint;
}

/** A pod. */
export interface PodGangSpecPodgroupsPodReferences {
  /** Name. */
  name: string;
  /** Namespace. */
  namespace: string;
}

/** Where the pods of this group are placed. */
export interface PodGangSpecPodgroupsTopologyConstraint {
  /** Where to pack the pods, as keys of node labels. */
  packConstraint?: PodGangSpecPodgroupsTopologyConstraintPackConstraint;
}

/** Where to pack the pods, as keys of node labels. */
export interface PodGangSpecPodgroupsTopologyConstraintPackConstraint {
  /** Label key to aim for; placement elsewhere is allowed. */
  preferred?: string;
  /** Label key of which all pods must share one value. */
  required?: string;
}

/** An earlier gang whose reserved places may be used again. */
export interface PodGangSpecReuseReservationRef {
  /** Name. */
  name: string;
  /** Namespace. */
  namespace: string;
}

/** Where the whole gang is placed. */
export interface PodGangSpecTopologyConstraint {
  /** Where to pack the pods, as keys of node labels. */
  packConstraint?: PodGangSpecTopologyConstraintPackConstraint;
}

/** Where to pack the pods, as keys of node labels. */
export interface PodGangSpecTopologyConstraintPackConstraint {
  /** Label key to aim for; placement elsewhere is allowed. */
  preferred?: string;
  /** Label key of which all pods must share one value. */
  required?: string;
}

/** Pod groups that are placed together. */
export interface PodGangSpecTopologyConstraintGroupConfigs {
  /** Name of the combination. */
  name: string;
  /** The pod groups. */
  podGroupNames: string[];
  /** Where these pod groups are placed. */
  topologyConstraint?: PodGangSpecTopologyConstraintGroupConfigsTopologyConstraint;
}

/** Where these pod groups are placed. */
export interface PodGangSpecTopologyConstraintGroupConfigsTopologyConstraint {
  /** Where to pack the pods, as keys of node labels. */
  packConstraint?: PodGangSpecTopologyConstraintGroupConfigsTopologyConstraintPackConstraint;
}

/** Where to pack the pods, as keys of node labels. */
export interface PodGangSpecTopologyConstraintGroupConfigsTopologyConstraintPackConstraint {
  /** Label key to aim for; placement elsewhere is allowed. */
  preferred?: string;
  /** Label key of which all pods must share one value. */
  required?: string;
}

/** What was observed. */
export interface PodGangStatus {
  /** Observations about the gang. */
  conditions?: Condition[];
  /** Where the gang is in its life: Pending, Starting or Running. */
  phase: string;
  /** How good the placement is for the network; 1.0 is best. */
  placementScore?: number;
}

/** Pods that a scheduler places all together or not at all. */
export interface PodGang {
  apiVersion: 'scheduler.grove.io/v1alpha1';
  kind: 'PodGang';
  metadata: ObjectMeta;
  /** The gang that is to be scheduled. */
  spec: PodGangSpec;
  /** What was observed. */
  status?: PodGangStatus;
}

/** What the domain offers to workloads. */
export interface ComputeDomainSpec {
  /** How workloads get channels. */
  channel: ComputeDomainSpecChannel;
  /** Deprecated: the domain is not Ready with fewer nodes. Default: 0. */
  numNodes?: number;
}

/** How workloads get channels. */
export interface ComputeDomainSpecChannel {
  /** Whether a workload gets one channel or all of them. Default: "Single". */
  allocationMode?: "All" | "Single";
  /** The claim template for workloads, which is created. */
  resourceClaimTemplate: ComputeDomainSpecChannelResourceClaimTemplate;
}

/** The claim template for workloads, which is created. */
export interface ComputeDomainSpecChannelResourceClaimTemplate {
  /** Its name, in the namespace of the ComputeDomain. */
  name: string;
}

/** What was observed. */
export interface ComputeDomainStatus {
  /** The nodes that take part. */
  nodes?: ComputeDomainStatusNodes[];
  /** Whether all nodes are ready. Default: "NotReady". */
  status?: "Ready" | "NotReady";
}

/** A node that takes part. */
export interface ComputeDomainStatusNodes {
  /** Its NVLink clique; empty: it has no fabric. */
  cliqueID: string;
  /** Its index in the clique; -1 without fabric. */
  index?: number;
  /** Address of the daemon on it. */
  ipAddress: string;
  /** Name of the node. */
  name: string;
  /** Whether its daemon is ready. Default: "NotReady". */
  status?: "Ready" | "NotReady";
}

/** Nodes whose GPUs share memory over NVLink for a workload. */
export interface ComputeDomain {
  apiVersion: 'resource.nvidia.com/v1beta1';
  kind: 'ComputeDomain';
  metadata: ObjectMeta;
  /** What the domain offers to workloads. */
  spec?: ComputeDomainSpec;
  /** What was observed. */
  status?: ComputeDomainStatus;
}

/** The daemon on a node. */
export interface ComputeDomainCliqueDaemons {
  /** The clique, as in the name of the object. */
  cliqueID: string;
  /** Index of the node in the clique, which names it to the others. */
  index?: number;
  /** Address of the daemon. */
  ipAddress: string;
  /** Name of the node. */
  nodeName: string;
  /** Whether the daemon is ready. Default: "NotReady". */
  status?: "Ready" | "NotReady";
}

/** The nodes of a ComputeDomain in one NVLink clique, with their indices. */
export interface ComputeDomainClique {
  apiVersion: 'resource.nvidia.com/v1beta1';
  kind: 'ComputeDomainClique';
  metadata: ObjectMeta;
  /** One for each node. */
  daemons?: ComputeDomainCliqueDaemons[];
}

/** What is wanted. */
export interface SandboxSpec {
  /** The pod. */
  podTemplate: SandboxSpecPodTemplate;
  /** True: there is a headless Service; false: none; absent: one is kept, not made. */
  service?: boolean;
  /** PersistentVolumeClaims that are made for the pod and mounted as volumes. */
  volumeClaimTemplates?: SandboxSpecVolumeClaimTemplates[];
  /** What becomes of the object when it expires. Default: "Retain". */
  shutdownPolicy?: "Delete" | "Retain";
  /** When it expires; absent: never. */
  shutdownTime?: string;
  /** Suspended: there is no pod, and everything else is kept. Default: "Running". */
  operatingMode?: "Running" | "Suspended";
}

/** The pod. */
export interface SandboxSpecPodTemplate {
  /** Labels and annotations of the pod. */
  metadata?: SandboxSpecPodTemplateMetadata;
  spec: PodSpec;
}

/** Labels and annotations of the pod. */
export interface SandboxSpecPodTemplateMetadata {
  /** Annotations to add. */
  annotations?: Record<string, string>;
  /** Labels to add. */
  labels?: Record<string, string>;
}

/** A PersistentVolumeClaim to make. */
export interface SandboxSpecVolumeClaimTemplates {
  /** Its name, which is that of the volume too, labels and annotations. */
  metadata?: SandboxSpecVolumeClaimTemplatesMetadata;
  spec: PersistentVolumeClaimSpec;
}

/** Its name, which is that of the volume too, labels and annotations. */
export interface SandboxSpecVolumeClaimTemplatesMetadata {
  /** Annotations to add. */
  annotations?: Record<string, string>;
  /** Labels to add. */
  labels?: Record<string, string>;
  /** Name of the volume; the claim is called after the Sandbox too. */
  name?: string;
}

/** What was observed. */
export interface SandboxStatus {
  /** Observations about the Sandbox. */
  conditions?: Condition[];
  /** Addresses of the pod. */
  podIPs?: string[];
  /** Label selector of the pod. */
  selector?: string;
  /** Name of the Service. */
  service?: string;
  /** DNS name of the Service. */
  serviceFQDN?: string;
  /** Node of the pod. */
  nodeName?: string;
}

/** One pod with an identity, storage and a life of its own. */
export interface Sandbox {
  apiVersion: 'agents.x-k8s.io/v1beta1';
  kind: 'Sandbox';
  metadata: ObjectMeta;
  /** What is wanted. */
  spec: SandboxSpec;
  /** What was observed. */
  status?: SandboxStatus;
}

/** What Sandboxes are made of. */
export interface SandboxTemplateSpec {
  /** The pod. */
  podTemplate: SandboxTemplateSpecPodTemplate;
  /** True: there is a headless Service; false: none; absent: one is kept, not made. */
  service?: boolean;
  /** PersistentVolumeClaims that are made for the pod and mounted as volumes. */
  volumeClaimTemplates?: SandboxTemplateSpecVolumeClaimTemplates[];
  /** Whether claims may bring environment variables of their own. Default: "Disallowed". */
  envVarsInjectionPolicy?: "Allowed" | "Overrides" | "Disallowed";
  /** Rules of the NetworkPolicy, in the place of the usual ones. */
  networkPolicy?: SandboxTemplateSpecNetworkPolicy;
  /** Whether a NetworkPolicy is kept for the Sandboxes of this template. Default: "Managed". */
  networkPolicyManagement?: "Managed" | "Unmanaged";
  /** Whether claims may bring volumes of their own. Default: "Disallowed". */
  volumeClaimTemplatesPolicy?: "Allowed" | "Overrides" | "Disallowed";
}

/** The pod. */
export interface SandboxTemplateSpecPodTemplate {
  /** Labels and annotations of the pod. */
  metadata?: SandboxTemplateSpecPodTemplateMetadata;
  spec: PodSpec;
}

/** Labels and annotations of the pod. */
export interface SandboxTemplateSpecPodTemplateMetadata {
  /** Annotations to add. */
  annotations?: Record<string, string>;
  /** Labels to add. */
  labels?: Record<string, string>;
}

/** A PersistentVolumeClaim to make. */
export interface SandboxTemplateSpecVolumeClaimTemplates {
  /** Its name, which is that of the volume too, labels and annotations. */
  metadata?: SandboxTemplateSpecVolumeClaimTemplatesMetadata;
  spec: PersistentVolumeClaimSpec;
}

/** Its name, which is that of the volume too, labels and annotations. */
export interface SandboxTemplateSpecVolumeClaimTemplatesMetadata {
  /** Annotations to add. */
  annotations?: Record<string, string>;
  /** Labels to add. */
  labels?: Record<string, string>;
  /** Name of the volume; the claim is called after the Sandbox too. */
  name?: string;
}

/** Rules of the NetworkPolicy, in the place of the usual ones. */
export interface SandboxTemplateSpecNetworkPolicy {
  /** Outgoing. */
  egress?: NetworkPolicyEgressRule[];
  /** Incoming. */
  ingress?: NetworkPolicyIngressRule[];
}

/** A blueprint of Sandboxes. */
export interface SandboxTemplate {
  apiVersion: 'extensions.agents.x-k8s.io/v1beta1';
  kind: 'SandboxTemplate';
  metadata: ObjectMeta;
  /** What Sandboxes are made of. */
  spec: SandboxTemplateSpec;
}

/** What is wanted. */
export interface SandboxClaimSpec {
  /** Labels and annotations that the pod gets too. */
  additionalPodMetadata?: SandboxClaimSpecAdditionalPodMetadata;
  /** Environment variables, for a Sandbox of its own. */
  env?: SandboxClaimSpecEnv[];
  /** When the claim ends, and what becomes of it then. */
  lifecycle?: SandboxClaimSpecLifecycle;
  /** PersistentVolumeClaims that are made for the pod and mounted as volumes. */
  volumeClaimTemplates?: SandboxClaimSpecVolumeClaimTemplates[];
  /** The SandboxWarmPool. */
  warmPoolRef: SandboxClaimSpecWarmPoolRef;
}

/** Labels and annotations that the pod gets too. */
export interface SandboxClaimSpecAdditionalPodMetadata {
  /** Annotations to add. */
  annotations?: Record<string, string>;
  /** Labels to add. */
  labels?: Record<string, string>;
}

/** An environment variable. */
export interface SandboxClaimSpecEnv {
  /** The container that gets it; absent: all of them. */
  containerName?: string;
  /** Its name. */
  name: string;
  /** Its value. */
  value: string;
}

/** When the claim ends, and what becomes of it then. */
export interface SandboxClaimSpecLifecycle {
  /** What is deleted when it expires. Default: "Retain". */
  shutdownPolicy?: "Delete" | "DeleteForeground" | "Retain";
  /** When it expires; absent: never. */
  shutdownTime?: string;
  /** Seconds from the end of the pod until it expires. */
  ttlSecondsAfterFinished?: number;
}

/** A PersistentVolumeClaim to make. */
export interface SandboxClaimSpecVolumeClaimTemplates {
  /** Its name, which is that of the volume too, labels and annotations. */
  metadata?: SandboxClaimSpecVolumeClaimTemplatesMetadata;
  spec: PersistentVolumeClaimSpec;
}

/** Its name, which is that of the volume too, labels and annotations. */
export interface SandboxClaimSpecVolumeClaimTemplatesMetadata {
  /** Annotations to add. */
  annotations?: Record<string, string>;
  /** Labels to add. */
  labels?: Record<string, string>;
  /** Name of the volume; the claim is called after the Sandbox too. */
  name?: string;
}

/** The SandboxWarmPool. */
export interface SandboxClaimSpecWarmPoolRef {
  /** Its name, in the namespace of this object. */
  name: string;
}

/** What was observed. */
export interface SandboxClaimStatus {
  /** Observations about the claim. */
  conditions?: Condition[];
  /** The Sandbox of the claim. */
  sandbox?: SandboxClaimStatusSandbox;
}

/** The Sandbox of the claim. */
export interface SandboxClaimStatusSandbox {
  /** Its name. */
  name?: string;
  /** Addresses of its pod. */
  podIPs?: string[];
}

/** A Sandbox for a user, out of a warm pool if one is ready. */
export interface SandboxClaim {
  apiVersion: 'extensions.agents.x-k8s.io/v1beta1';
  kind: 'SandboxClaim';
  metadata: ObjectMeta;
  /** What is wanted. */
  spec: SandboxClaimSpec;
  /** What was observed. */
  status?: SandboxClaimStatus;
}

/** What is wanted. */
export interface SandboxWarmPoolSpec {
  /** Sandboxes that are kept ready. Default: 1. */
  replicas?: number;
  /** The SandboxTemplate. */
  sandboxTemplateRef: SandboxWarmPoolSpecSandboxTemplateRef;
  /** What becomes of Sandboxes of an older template. */
  updateStrategy?: SandboxWarmPoolSpecUpdateStrategy;
}

/** The SandboxTemplate. */
export interface SandboxWarmPoolSpecSandboxTemplateRef {
  /** Its name, in the namespace of this object. */
  name: string;
}

/** What becomes of Sandboxes of an older template. */
export interface SandboxWarmPoolSpecUpdateStrategy {
  /** Recreate: they are replaced at once; OnReplenish: when they are used up. Default: "OnReplenish". */
  type?: "Recreate" | "OnReplenish";
}

/** What was observed. */
export interface SandboxWarmPoolStatus {
  /** Sandboxes that are ready. */
  readyReplicas?: number;
  /** Sandboxes that are not being deleted. */
  replicas?: number;
  /** Label selector of the Sandboxes. */
  selector?: string;
  /** Observations about the pool, which agent-sandbox has not. */
  conditions?: Condition[];
  /** The metadata.generation that the counts are of. */
  observedGeneration?: number;
}

/** Sandboxes of a template that run already when a claim comes. */
export interface SandboxWarmPool {
  apiVersion: 'extensions.agents.x-k8s.io/v1beta1';
  kind: 'SandboxWarmPool';
  metadata: ObjectMeta;
  /** What is wanted. */
  spec: SandboxWarmPoolSpec;
  /** What was observed. */
  status?: SandboxWarmPoolStatus;
}

/** io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta */
export interface ObjectMeta {
  annotations?: Record<string, string>;
  creationTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  deletionTimestamp?: string;
  finalizers?: string[];
  generateName?: string;
  generation?: number;
  labels?: Record<string, string>;
  managedFields?: ManagedFieldsEntry[];
  name?: string;
  namespace?: string;
  ownerReferences?: OwnerReference[];
  resourceVersion?: string;
  selfLink?: string;
  uid?: string;
}

/** io.k8s.api.autoscaling.v2.MetricSpec */
export interface MetricSpec {
  containerResource?: ContainerResourceMetricSource;
  external?: ExternalMetricSource;
  object?: ObjectMetricSource;
  pods?: PodsMetricSource;
  resource?: ResourceMetricSource;
  type: string;
}

/** io.k8s.api.core.v1.PodSpec */
export interface PodSpec {
  activeDeadlineSeconds?: number;
  affinity?: Affinity;
  automountServiceAccountToken?: boolean;
  containers: Container[];
  dnsConfig?: PodDNSConfig;
  dnsPolicy?: string;
  enableServiceLinks?: boolean;
  ephemeralContainers?: EphemeralContainer[];
  hostAliases?: HostAlias[];
  hostIPC?: boolean;
  hostNetwork?: boolean;
  hostPID?: boolean;
  hostUsers?: boolean;
  hostname?: string;
  hostnameOverride?: string;
  imagePullSecrets?: LocalObjectReference[];
  initContainers?: Container[];
  nodeName?: string;
  nodeSelector?: Record<string, string>;
  os?: PodOS;
  overhead?: Record<string, string | number>;
  preemptionPolicy?: string;
  priority?: number;
  priorityClassName?: string;
  readinessGates?: PodReadinessGate[];
  resourceClaims?: PodResourceClaim[];
  resources?: ResourceRequirements;
  restartPolicy?: string;
  runtimeClassName?: string;
  schedulerName?: string;
  schedulingGates?: PodSchedulingGate[];
  securityContext?: PodSecurityContext;
  serviceAccount?: string;
  serviceAccountName?: string;
  setHostnameAsFQDN?: boolean;
  shareProcessNamespace?: boolean;
  subdomain?: string;
  terminationGracePeriodSeconds?: number;
  tolerations?: Toleration[];
  topologySpreadConstraints?: TopologySpreadConstraint[];
  volumes?: Volume[];
  workloadRef?: WorkloadReference;
}

/** io.k8s.api.resource.v1.ResourceClaimTemplateSpec */
export interface ResourceClaimTemplateSpec {
  metadata?: ObjectMeta;
  spec: ResourceClaimSpec;
}

/** io.k8s.api.core.v1.PersistentVolumeClaimSpec */
export interface PersistentVolumeClaimSpec {
  accessModes?: string[];
  dataSource?: TypedLocalObjectReference;
  dataSourceRef?: TypedObjectReference;
  resources?: VolumeResourceRequirements;
  selector?: LabelSelector;
  storageClassName?: string;
  volumeAttributesClassName?: string;
  volumeMode?: string;
  volumeName?: string;
}

/** io.k8s.api.networking.v1.NetworkPolicyEgressRule */
export interface NetworkPolicyEgressRule {
  ports?: NetworkPolicyPort[];
  to?: NetworkPolicyPeer[];
}

/** io.k8s.api.networking.v1.NetworkPolicyIngressRule */
export interface NetworkPolicyIngressRule {
  from?: NetworkPolicyPeer[];
  ports?: NetworkPolicyPort[];
}

/** io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry */
export interface ManagedFieldsEntry {
  apiVersion?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  manager?: string;
  operation?: string;
  subresource?: string;
  time?: string;
}

/** io.k8s.apimachinery.pkg.apis.meta.v1.OwnerReference */
export interface OwnerReference {
  apiVersion: string;
  blockOwnerDeletion?: boolean;
  controller?: boolean;
  kind: string;
  name: string;
  uid: string;
}

/** io.k8s.api.autoscaling.v2.ContainerResourceMetricSource */
export interface ContainerResourceMetricSource {
  container: string;
  name: string;
  target: MetricTarget;
}

/** io.k8s.api.autoscaling.v2.ExternalMetricSource */
export interface ExternalMetricSource {
  metric: MetricIdentifier;
  target: MetricTarget;
}

/** io.k8s.api.autoscaling.v2.ObjectMetricSource */
export interface ObjectMetricSource {
  describedObject: CrossVersionObjectReference;
  metric: MetricIdentifier;
  target: MetricTarget;
}

/** io.k8s.api.autoscaling.v2.PodsMetricSource */
export interface PodsMetricSource {
  metric: MetricIdentifier;
  target: MetricTarget;
}

/** io.k8s.api.autoscaling.v2.ResourceMetricSource */
export interface ResourceMetricSource {
  name: string;
  target: MetricTarget;
}

/** io.k8s.api.core.v1.Affinity */
export interface Affinity {
  nodeAffinity?: NodeAffinity;
  podAffinity?: PodAffinity;
  podAntiAffinity?: PodAntiAffinity;
}

/** io.k8s.api.core.v1.Container */
export interface Container {
  args?: string[];
  command?: string[];
  env?: EnvVar[];
  envFrom?: EnvFromSource[];
  image?: string;
  imagePullPolicy?: string;
  lifecycle?: Lifecycle;
  livenessProbe?: Probe;
  name: string;
  ports?: ContainerPort[];
  readinessProbe?: Probe;
  resizePolicy?: ContainerResizePolicy[];
  resources?: ResourceRequirements;
  restartPolicy?: string;
  restartPolicyRules?: ContainerRestartRule[];
  securityContext?: SecurityContext;
  startupProbe?: Probe;
  stdin?: boolean;
  stdinOnce?: boolean;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  tty?: boolean;
  volumeDevices?: VolumeDevice[];
  volumeMounts?: VolumeMount[];
  workingDir?: string;
}

/** io.k8s.api.core.v1.PodDNSConfig */
export interface PodDNSConfig {
  nameservers?: string[];
  options?: PodDNSConfigOption[];
  searches?: string[];
}

/** io.k8s.api.core.v1.EphemeralContainer */
export interface EphemeralContainer {
  args?: string[];
  command?: string[];
  env?: EnvVar[];
  envFrom?: EnvFromSource[];
  image?: string;
  imagePullPolicy?: string;
  lifecycle?: Lifecycle;
  livenessProbe?: Probe;
  name: string;
  ports?: ContainerPort[];
  readinessProbe?: Probe;
  resizePolicy?: ContainerResizePolicy[];
  resources?: ResourceRequirements;
  restartPolicy?: string;
  restartPolicyRules?: ContainerRestartRule[];
  securityContext?: SecurityContext;
  startupProbe?: Probe;
  stdin?: boolean;
  stdinOnce?: boolean;
  targetContainerName?: string;
  terminationMessagePath?: string;
  terminationMessagePolicy?: string;
  tty?: boolean;
  volumeDevices?: VolumeDevice[];
  volumeMounts?: VolumeMount[];
  workingDir?: string;
}

/** io.k8s.api.core.v1.HostAlias */
export interface HostAlias {
  hostnames?: string[];
  ip: string;
}

/** io.k8s.api.core.v1.LocalObjectReference */
export interface LocalObjectReference {
  name?: string;
}

/** io.k8s.api.core.v1.PodOS */
export interface PodOS {
  name: string;
}

/** io.k8s.api.core.v1.PodReadinessGate */
export interface PodReadinessGate {
  conditionType: string;
}

/** io.k8s.api.core.v1.PodResourceClaim */
export interface PodResourceClaim {
  name: string;
  resourceClaimName?: string;
  resourceClaimTemplateName?: string;
}

/** io.k8s.api.core.v1.ResourceRequirements */
export interface ResourceRequirements {
  claims?: ResourceClaim[];
  limits?: Record<string, string | number>;
  requests?: Record<string, string | number>;
}

/** io.k8s.api.core.v1.PodSchedulingGate */
export interface PodSchedulingGate {
  name: string;
}

/** io.k8s.api.core.v1.PodSecurityContext */
export interface PodSecurityContext {
  appArmorProfile?: AppArmorProfile;
  fsGroup?: number;
  fsGroupChangePolicy?: string;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seLinuxChangePolicy?: string;
  seLinuxOptions?: SELinuxOptions;
  seccompProfile?: SeccompProfile;
  supplementalGroups?: number[];
  supplementalGroupsPolicy?: string;
  sysctls?: Sysctl[];
  windowsOptions?: WindowsSecurityContextOptions;
}

/** io.k8s.api.core.v1.Toleration */
export interface Toleration {
  effect?: string;
  key?: string;
  operator?: string;
  tolerationSeconds?: number;
  value?: string;
}

/** io.k8s.api.core.v1.TopologySpreadConstraint */
export interface TopologySpreadConstraint {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  maxSkew: number;
  minDomains?: number;
  nodeAffinityPolicy?: string;
  nodeTaintsPolicy?: string;
  topologyKey: string;
  whenUnsatisfiable: string;
}

/** io.k8s.api.core.v1.Volume */
export interface Volume {
  awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource;
  azureDisk?: AzureDiskVolumeSource;
  azureFile?: AzureFileVolumeSource;
  cephfs?: CephFSVolumeSource;
  cinder?: CinderVolumeSource;
  configMap?: ConfigMapVolumeSource;
  csi?: CSIVolumeSource;
  downwardAPI?: DownwardAPIVolumeSource;
  emptyDir?: EmptyDirVolumeSource;
  ephemeral?: EphemeralVolumeSource;
  fc?: FCVolumeSource;
  flexVolume?: FlexVolumeSource;
  flocker?: FlockerVolumeSource;
  gcePersistentDisk?: GCEPersistentDiskVolumeSource;
  gitRepo?: GitRepoVolumeSource;
  glusterfs?: GlusterfsVolumeSource;
  hostPath?: HostPathVolumeSource;
  image?: ImageVolumeSource;
  iscsi?: ISCSIVolumeSource;
  name: string;
  nfs?: NFSVolumeSource;
  persistentVolumeClaim?: PersistentVolumeClaimVolumeSource;
  photonPersistentDisk?: PhotonPersistentDiskVolumeSource;
  portworxVolume?: PortworxVolumeSource;
  projected?: ProjectedVolumeSource;
  quobyte?: QuobyteVolumeSource;
  rbd?: RBDVolumeSource;
  scaleIO?: ScaleIOVolumeSource;
  secret?: SecretVolumeSource;
  storageos?: StorageOSVolumeSource;
  vsphereVolume?: VsphereVirtualDiskVolumeSource;
}

/** io.k8s.api.core.v1.WorkloadReference */
export interface WorkloadReference {
  name: string;
  podGroup: string;
  podGroupReplicaKey?: string;
}

/** io.k8s.api.resource.v1.ResourceClaimSpec */
export interface ResourceClaimSpec {
  devices?: DeviceClaim;
}

/** io.k8s.api.core.v1.TypedLocalObjectReference */
export interface TypedLocalObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
}

/** io.k8s.api.core.v1.TypedObjectReference */
export interface TypedObjectReference {
  apiGroup?: string;
  kind: string;
  name: string;
  namespace?: string;
}

/** io.k8s.api.core.v1.VolumeResourceRequirements */
export interface VolumeResourceRequirements {
  limits?: Record<string, string | number>;
  requests?: Record<string, string | number>;
}

/** io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector */
export interface LabelSelector {
  matchExpressions?: LabelSelectorRequirement[];
  matchLabels?: Record<string, string>;
}

/** io.k8s.api.networking.v1.NetworkPolicyPort */
export interface NetworkPolicyPort {
  endPort?: number;
  port?: string | number;
  protocol?: string;
}

/** io.k8s.api.networking.v1.NetworkPolicyPeer */
export interface NetworkPolicyPeer {
  ipBlock?: IPBlock;
  namespaceSelector?: LabelSelector;
  podSelector?: LabelSelector;
}

/** io.k8s.api.autoscaling.v2.MetricTarget */
export interface MetricTarget {
  averageUtilization?: number;
  averageValue?: string | number;
  type: string;
  value?: string | number;
}

/** io.k8s.api.autoscaling.v2.MetricIdentifier */
export interface MetricIdentifier {
  name: string;
  selector?: LabelSelector;
}

/** io.k8s.api.autoscaling.v2.CrossVersionObjectReference */
export interface CrossVersionObjectReference {
  apiVersion?: string;
  kind: string;
  name: string;
}

/** io.k8s.api.core.v1.NodeAffinity */
export interface NodeAffinity {
  preferredDuringSchedulingIgnoredDuringExecution?: PreferredSchedulingTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
}

/** io.k8s.api.core.v1.PodAffinity */
export interface PodAffinity {
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
}

/** io.k8s.api.core.v1.PodAntiAffinity */
export interface PodAntiAffinity {
  preferredDuringSchedulingIgnoredDuringExecution?: WeightedPodAffinityTerm[];
  requiredDuringSchedulingIgnoredDuringExecution?: PodAffinityTerm[];
}

/** io.k8s.api.core.v1.EnvVar */
export interface EnvVar {
  name: string;
  value?: string;
  valueFrom?: EnvVarSource;
}

/** io.k8s.api.core.v1.EnvFromSource */
export interface EnvFromSource {
  configMapRef?: ConfigMapEnvSource;
  prefix?: string;
  secretRef?: SecretEnvSource;
}

/** io.k8s.api.core.v1.Lifecycle */
export interface Lifecycle {
  postStart?: LifecycleHandler;
  preStop?: LifecycleHandler;
  stopSignal?: string;
}

/** io.k8s.api.core.v1.Probe */
export interface Probe {
  exec?: ExecAction;
  failureThreshold?: number;
  grpc?: GRPCAction;
  httpGet?: HTTPGetAction;
  initialDelaySeconds?: number;
  periodSeconds?: number;
  successThreshold?: number;
  tcpSocket?: TCPSocketAction;
  terminationGracePeriodSeconds?: number;
  timeoutSeconds?: number;
}

/** io.k8s.api.core.v1.ContainerPort */
export interface ContainerPort {
  containerPort: number;
  hostIP?: string;
  hostPort?: number;
  name?: string;
  protocol?: string;
}

/** io.k8s.api.core.v1.ContainerResizePolicy */
export interface ContainerResizePolicy {
  resourceName: string;
  restartPolicy: string;
}

/** io.k8s.api.core.v1.ContainerRestartRule */
export interface ContainerRestartRule {
  action: string;
  exitCodes?: ContainerRestartRuleOnExitCodes;
}

/** io.k8s.api.core.v1.SecurityContext */
export interface SecurityContext {
  allowPrivilegeEscalation?: boolean;
  appArmorProfile?: AppArmorProfile;
  capabilities?: Capabilities;
  privileged?: boolean;
  procMount?: string;
  readOnlyRootFilesystem?: boolean;
  runAsGroup?: number;
  runAsNonRoot?: boolean;
  runAsUser?: number;
  seLinuxOptions?: SELinuxOptions;
  seccompProfile?: SeccompProfile;
  windowsOptions?: WindowsSecurityContextOptions;
}

/** io.k8s.api.core.v1.VolumeDevice */
export interface VolumeDevice {
  devicePath: string;
  name: string;
}

/** io.k8s.api.core.v1.VolumeMount */
export interface VolumeMount {
  mountPath: string;
  mountPropagation?: string;
  name: string;
  readOnly?: boolean;
  recursiveReadOnly?: string;
  subPath?: string;
  subPathExpr?: string;
}

/** io.k8s.api.core.v1.PodDNSConfigOption */
export interface PodDNSConfigOption {
  name?: string;
  value?: string;
}

/** io.k8s.api.core.v1.ResourceClaim */
export interface ResourceClaim {
  name: string;
  request?: string;
}

/** io.k8s.api.core.v1.AppArmorProfile */
export interface AppArmorProfile {
  localhostProfile?: string;
  type: string;
}

/** io.k8s.api.core.v1.SELinuxOptions */
export interface SELinuxOptions {
  level?: string;
  role?: string;
  type?: string;
  user?: string;
}

/** io.k8s.api.core.v1.SeccompProfile */
export interface SeccompProfile {
  localhostProfile?: string;
  type: string;
}

/** io.k8s.api.core.v1.Sysctl */
export interface Sysctl {
  name: string;
  value: string;
}

/** io.k8s.api.core.v1.WindowsSecurityContextOptions */
export interface WindowsSecurityContextOptions {
  gmsaCredentialSpec?: string;
  gmsaCredentialSpecName?: string;
  hostProcess?: boolean;
  runAsUserName?: string;
}

/** io.k8s.api.core.v1.AWSElasticBlockStoreVolumeSource */
export interface AWSElasticBlockStoreVolumeSource {
  fsType?: string;
  partition?: number;
  readOnly?: boolean;
  volumeID: string;
}

/** io.k8s.api.core.v1.AzureDiskVolumeSource */
export interface AzureDiskVolumeSource {
  cachingMode?: string;
  diskName: string;
  diskURI: string;
  fsType?: string;
  kind?: string;
  readOnly?: boolean;
}

/** io.k8s.api.core.v1.AzureFileVolumeSource */
export interface AzureFileVolumeSource {
  readOnly?: boolean;
  secretName: string;
  shareName: string;
}

/** io.k8s.api.core.v1.CephFSVolumeSource */
export interface CephFSVolumeSource {
  monitors: string[];
  path?: string;
  readOnly?: boolean;
  secretFile?: string;
  secretRef?: LocalObjectReference;
  user?: string;
}

/** io.k8s.api.core.v1.CinderVolumeSource */
export interface CinderVolumeSource {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  volumeID: string;
}

/** io.k8s.api.core.v1.ConfigMapVolumeSource */
export interface ConfigMapVolumeSource {
  defaultMode?: number;
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
}

/** io.k8s.api.core.v1.CSIVolumeSource */
export interface CSIVolumeSource {
  driver: string;
  fsType?: string;
  nodePublishSecretRef?: LocalObjectReference;
  readOnly?: boolean;
  volumeAttributes?: Record<string, string>;
}

/** io.k8s.api.core.v1.DownwardAPIVolumeSource */
export interface DownwardAPIVolumeSource {
  defaultMode?: number;
  items?: DownwardAPIVolumeFile[];
}

/** io.k8s.api.core.v1.EmptyDirVolumeSource */
export interface EmptyDirVolumeSource {
  medium?: string;
  sizeLimit?: string | number;
}

/** io.k8s.api.core.v1.EphemeralVolumeSource */
export interface EphemeralVolumeSource {
  volumeClaimTemplate?: PersistentVolumeClaimTemplate;
}

/** io.k8s.api.core.v1.FCVolumeSource */
export interface FCVolumeSource {
  fsType?: string;
  lun?: number;
  readOnly?: boolean;
  targetWWNs?: string[];
  wwids?: string[];
}

/** io.k8s.api.core.v1.FlexVolumeSource */
export interface FlexVolumeSource {
  driver: string;
  fsType?: string;
  options?: Record<string, string>;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
}

/** io.k8s.api.core.v1.FlockerVolumeSource */
export interface FlockerVolumeSource {
  datasetName?: string;
  datasetUUID?: string;
}

/** io.k8s.api.core.v1.GCEPersistentDiskVolumeSource */
export interface GCEPersistentDiskVolumeSource {
  fsType?: string;
  partition?: number;
  pdName: string;
  readOnly?: boolean;
}

/** io.k8s.api.core.v1.GitRepoVolumeSource */
export interface GitRepoVolumeSource {
  directory?: string;
  repository: string;
  revision?: string;
}

/** io.k8s.api.core.v1.GlusterfsVolumeSource */
export interface GlusterfsVolumeSource {
  endpoints: string;
  path: string;
  readOnly?: boolean;
}

/** io.k8s.api.core.v1.HostPathVolumeSource */
export interface HostPathVolumeSource {
  path: string;
  type?: string;
}

/** io.k8s.api.core.v1.ImageVolumeSource */
export interface ImageVolumeSource {
  pullPolicy?: string;
  reference?: string;
}

/** io.k8s.api.core.v1.ISCSIVolumeSource */
export interface ISCSIVolumeSource {
  chapAuthDiscovery?: boolean;
  chapAuthSession?: boolean;
  fsType?: string;
  initiatorName?: string;
  iqn: string;
  iscsiInterface?: string;
  lun: number;
  portals?: string[];
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  targetPortal: string;
}

/** io.k8s.api.core.v1.NFSVolumeSource */
export interface NFSVolumeSource {
  path: string;
  readOnly?: boolean;
  server: string;
}

/** io.k8s.api.core.v1.PersistentVolumeClaimVolumeSource */
export interface PersistentVolumeClaimVolumeSource {
  claimName: string;
  readOnly?: boolean;
}

/** io.k8s.api.core.v1.PhotonPersistentDiskVolumeSource */
export interface PhotonPersistentDiskVolumeSource {
  fsType?: string;
  pdID: string;
}

/** io.k8s.api.core.v1.PortworxVolumeSource */
export interface PortworxVolumeSource {
  fsType?: string;
  readOnly?: boolean;
  volumeID: string;
}

/** io.k8s.api.core.v1.ProjectedVolumeSource */
export interface ProjectedVolumeSource {
  defaultMode?: number;
  sources?: VolumeProjection[];
}

/** io.k8s.api.core.v1.QuobyteVolumeSource */
export interface QuobyteVolumeSource {
  group?: string;
  readOnly?: boolean;
  registry: string;
  tenant?: string;
  user?: string;
  volume: string;
}

/** io.k8s.api.core.v1.RBDVolumeSource */
export interface RBDVolumeSource {
  fsType?: string;
  image: string;
  keyring?: string;
  monitors: string[];
  pool?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  user?: string;
}

/** io.k8s.api.core.v1.ScaleIOVolumeSource */
export interface ScaleIOVolumeSource {
  fsType?: string;
  gateway: string;
  protectionDomain?: string;
  readOnly?: boolean;
  secretRef: LocalObjectReference;
  sslEnabled?: boolean;
  storageMode?: string;
  storagePool?: string;
  system: string;
  volumeName?: string;
}

/** io.k8s.api.core.v1.SecretVolumeSource */
export interface SecretVolumeSource {
  defaultMode?: number;
  items?: KeyToPath[];
  optional?: boolean;
  secretName?: string;
}

/** io.k8s.api.core.v1.StorageOSVolumeSource */
export interface StorageOSVolumeSource {
  fsType?: string;
  readOnly?: boolean;
  secretRef?: LocalObjectReference;
  volumeName?: string;
  volumeNamespace?: string;
}

/** io.k8s.api.core.v1.VsphereVirtualDiskVolumeSource */
export interface VsphereVirtualDiskVolumeSource {
  fsType?: string;
  storagePolicyID?: string;
  storagePolicyName?: string;
  volumePath: string;
}

/** io.k8s.api.resource.v1.DeviceClaim */
export interface DeviceClaim {
  config?: DeviceClaimConfiguration[];
  constraints?: DeviceConstraint[];
  requests?: DeviceRequest[];
}

/** io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement */
export interface LabelSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

/** io.k8s.api.networking.v1.IPBlock */
export interface IPBlock {
  cidr: string;
  except?: string[];
}

/** io.k8s.api.core.v1.PreferredSchedulingTerm */
export interface PreferredSchedulingTerm {
  preference: NodeSelectorTerm;
  weight: number;
}

/** io.k8s.api.core.v1.NodeSelector */
export interface NodeSelector {
  nodeSelectorTerms: NodeSelectorTerm[];
}

/** io.k8s.api.core.v1.WeightedPodAffinityTerm */
export interface WeightedPodAffinityTerm {
  podAffinityTerm: PodAffinityTerm;
  weight: number;
}

/** io.k8s.api.core.v1.PodAffinityTerm */
export interface PodAffinityTerm {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
  namespaceSelector?: LabelSelector;
  namespaces?: string[];
  topologyKey: string;
}

/** io.k8s.api.core.v1.EnvVarSource */
export interface EnvVarSource {
  configMapKeyRef?: ConfigMapKeySelector;
  fieldRef?: ObjectFieldSelector;
  fileKeyRef?: FileKeySelector;
  resourceFieldRef?: ResourceFieldSelector;
  secretKeyRef?: SecretKeySelector;
}

/** io.k8s.api.core.v1.ConfigMapEnvSource */
export interface ConfigMapEnvSource {
  name?: string;
  optional?: boolean;
}

/** io.k8s.api.core.v1.SecretEnvSource */
export interface SecretEnvSource {
  name?: string;
  optional?: boolean;
}

/** io.k8s.api.core.v1.LifecycleHandler */
export interface LifecycleHandler {
  exec?: ExecAction;
  httpGet?: HTTPGetAction;
  sleep?: SleepAction;
  tcpSocket?: TCPSocketAction;
}

/** io.k8s.api.core.v1.ExecAction */
export interface ExecAction {
  command?: string[];
}

/** io.k8s.api.core.v1.GRPCAction */
export interface GRPCAction {
  port: number;
  service?: string;
}

/** io.k8s.api.core.v1.HTTPGetAction */
export interface HTTPGetAction {
  host?: string;
  httpHeaders?: HTTPHeader[];
  path?: string;
  port: string | number;
  scheme?: string;
}

/** io.k8s.api.core.v1.TCPSocketAction */
export interface TCPSocketAction {
  host?: string;
  port: string | number;
}

/** io.k8s.api.core.v1.ContainerRestartRuleOnExitCodes */
export interface ContainerRestartRuleOnExitCodes {
  operator: string;
  values?: number[];
}

/** io.k8s.api.core.v1.Capabilities */
export interface Capabilities {
  add?: string[];
  drop?: string[];
}

/** io.k8s.api.core.v1.KeyToPath */
export interface KeyToPath {
  key: string;
  mode?: number;
  path: string;
}

/** io.k8s.api.core.v1.DownwardAPIVolumeFile */
export interface DownwardAPIVolumeFile {
  fieldRef?: ObjectFieldSelector;
  mode?: number;
  path: string;
  resourceFieldRef?: ResourceFieldSelector;
}

/** io.k8s.api.core.v1.PersistentVolumeClaimTemplate */
export interface PersistentVolumeClaimTemplate {
  metadata?: ObjectMeta;
  spec: PersistentVolumeClaimSpec;
}

/** io.k8s.api.core.v1.VolumeProjection */
export interface VolumeProjection {
  clusterTrustBundle?: ClusterTrustBundleProjection;
  configMap?: ConfigMapProjection;
  downwardAPI?: DownwardAPIProjection;
  podCertificate?: PodCertificateProjection;
  secret?: SecretProjection;
  serviceAccountToken?: ServiceAccountTokenProjection;
}

/** io.k8s.api.resource.v1.DeviceClaimConfiguration */
export interface DeviceClaimConfiguration {
  opaque?: OpaqueDeviceConfiguration;
  requests?: string[];
}

/** io.k8s.api.resource.v1.DeviceConstraint */
export interface DeviceConstraint {
  distinctAttribute?: string;
  matchAttribute?: string;
  requests?: string[];
}

/** io.k8s.api.resource.v1.DeviceRequest */
export interface DeviceRequest {
  exactly?: ExactDeviceRequest;
  firstAvailable?: DeviceSubRequest[];
  name: string;
}

/** io.k8s.api.core.v1.NodeSelectorTerm */
export interface NodeSelectorTerm {
  matchExpressions?: NodeSelectorRequirement[];
  matchFields?: NodeSelectorRequirement[];
}

/** io.k8s.api.core.v1.ConfigMapKeySelector */
export interface ConfigMapKeySelector {
  key: string;
  name?: string;
  optional?: boolean;
}

/** io.k8s.api.core.v1.ObjectFieldSelector */
export interface ObjectFieldSelector {
  apiVersion?: string;
  fieldPath: string;
}

/** io.k8s.api.core.v1.FileKeySelector */
export interface FileKeySelector {
  key: string;
  optional?: boolean;
  path: string;
  volumeName: string;
}

/** io.k8s.api.core.v1.ResourceFieldSelector */
export interface ResourceFieldSelector {
  containerName?: string;
  divisor?: string | number;
  resource: string;
}

/** io.k8s.api.core.v1.SecretKeySelector */
export interface SecretKeySelector {
  key: string;
  name?: string;
  optional?: boolean;
}

/** io.k8s.api.core.v1.SleepAction */
export interface SleepAction {
  seconds: number;
}

/** io.k8s.api.core.v1.HTTPHeader */
export interface HTTPHeader {
  name: string;
  value: string;
}

/** io.k8s.api.core.v1.ClusterTrustBundleProjection */
export interface ClusterTrustBundleProjection {
  labelSelector?: LabelSelector;
  name?: string;
  optional?: boolean;
  path: string;
  signerName?: string;
}

/** io.k8s.api.core.v1.ConfigMapProjection */
export interface ConfigMapProjection {
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
}

/** io.k8s.api.core.v1.DownwardAPIProjection */
export interface DownwardAPIProjection {
  items?: DownwardAPIVolumeFile[];
}

/** io.k8s.api.core.v1.PodCertificateProjection */
export interface PodCertificateProjection {
  certificateChainPath?: string;
  credentialBundlePath?: string;
  keyPath?: string;
  keyType: string;
  maxExpirationSeconds?: number;
  signerName: string;
  userAnnotations?: Record<string, string>;
}

/** io.k8s.api.core.v1.SecretProjection */
export interface SecretProjection {
  items?: KeyToPath[];
  name?: string;
  optional?: boolean;
}

/** io.k8s.api.core.v1.ServiceAccountTokenProjection */
export interface ServiceAccountTokenProjection {
  audience?: string;
  expirationSeconds?: number;
  path: string;
}

/** io.k8s.api.resource.v1.OpaqueDeviceConfiguration */
export interface OpaqueDeviceConfiguration {
  driver: string;
  parameters: Record<string, unknown>;
}

/** io.k8s.api.resource.v1.ExactDeviceRequest */
export interface ExactDeviceRequest {
  adminAccess?: boolean;
  allocationMode?: string;
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
}

/** io.k8s.api.resource.v1.DeviceSubRequest */
export interface DeviceSubRequest {
  allocationMode?: string;
  capacity?: CapacityRequirements;
  count?: number;
  deviceClassName: string;
  name: string;
  selectors?: DeviceSelector[];
  tolerations?: DeviceToleration[];
}

/** io.k8s.api.core.v1.NodeSelectorRequirement */
export interface NodeSelectorRequirement {
  key: string;
  operator: string;
  values?: string[];
}

/** io.k8s.api.resource.v1.CapacityRequirements */
export interface CapacityRequirements {
  requests?: Record<string, string | number>;
}

/** io.k8s.api.resource.v1.DeviceSelector */
export interface DeviceSelector {
  cel?: CELDeviceSelector;
}

/** io.k8s.api.resource.v1.DeviceToleration */
export interface DeviceToleration {
  effect?: string;
  key?: string;
  operator?: string;
  tolerationSeconds?: number;
  value?: string;
}

/** io.k8s.api.resource.v1.CELDeviceSelector */
export interface CELDeviceSelector {
  expression: string;
}

