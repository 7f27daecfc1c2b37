// What the rules depend on besides the object: the parts of the configuration that decide what is
// allowed. The composition root fills it in once, as the configuration does not change at run time.

export interface AdmissionSettings {
  /** The scheduler of pods that name none. */
  readonly defaultSchedulerName: string;
  /** Enabled backends; `default-scheduler` is always one of them. */
  readonly schedulerNames: readonly string[];
  /** Topology-aware scheduling is on. */
  readonly topologyAware: boolean;
  /** ComputeDomains are made for MNNVL groups. */
  readonly autoMnnvl: boolean;
}
