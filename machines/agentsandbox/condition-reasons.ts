// The reasons of the conditions of agent-sandbox's kinds (spec agent-sandbox 1.7), and those of a
// warm pool, which are ours. A claim repeats those of its Sandbox.
import type { ConditionTable } from '../contract/condition-reasons.ts';

export const agentSandboxConditions = {
  // -- Ready, Suspended, PodScheduled, Finished of a Sandbox
  //   ----------------------------------------
  DependenciesReady: 'the pod is ready, and so is the Service where there is to be one',
  DependenciesNotReady: 'the pod or the Service is missing or not ready',
  ReconcilerError: 'the pod, a volume, the Service or the Sandbox of a claim cannot be made',
  MultiplePods: 'several pods are controlled by the one Sandbox',
  SandboxExpired: 'its time is over, and so are its pod and Service',
  SandboxSuspended: 'it is, or is being, suspended',
  PodSucceeded: 'its pod has completed',
  PodFailed: 'its pod has failed',
  NotSuspended: 'nobody asked for its suspension',
  PodStateUnknown: 'several pods keep it from saying whether it is suspended',
  PodTerminating: 'its pod is going, and then it is suspended',
  PodTerminated: 'its pod is gone: it is suspended',
  PodNotOwned: 'a pod with its name belongs to somebody else and stays',
  PodScheduled: 'its pod has a node',
  PodSchedulingUnknown: 'its pod has not said whether it has a node',
  // -- Ready of a SandboxClaim
  //   ----------------------------------------------------------------------
  ClaimExpired: 'the time of the claim is over, and its Sandbox goes',
  InvalidMetadata: 'labels or annotations for the pod that nobody may set',
  SandboxMissing: 'the Sandbox that the claim had is gone',
  SandboxNotReady: 'its Sandbox has not said anything yet',
  WarmPoolNotFound: 'there is no SandboxWarmPool of that name',
  TemplateNotFound: 'there is no SandboxTemplate of that name',
  EnvVarsInjectionRejected: 'the template does not allow these environment variables',
  VolumeClaimTemplatesError: 'the template does not allow these volumes',
  // -- Ready of a SandboxWarmPool
  //   -------------------------------------------------------------------
  MembersReady: 'as many members are ready as are wanted',
  Filling: 'members are being created or become ready',
  Draining: 'there are more members than wanted',
  RollingOut: 'members of an older template are replaced',
  RefillFailed: 'members cannot be created or completed',
  StartErrors: 'containers of members do not start, so the refill is slow',
  Unschedulable: 'members find no node and are kept',
} as const satisfies ConditionTable;

declare module '../contract/condition-reasons.ts' {
  interface ConditionReasons extends Record<keyof typeof agentSandboxConditions, true> {}
}
