// The Events that the actors of agent-sandbox record, by severity and reason (spec agent-sandbox
// 1.8).
import type { EventTable } from '../contract/event-reasons.ts';

export const agentSandboxEvents = {
  Normal: {
    SandboxAdopted: 'a claim has got a Sandbox of its warm pool',
    SandboxProvisioned: 'a Sandbox was created for a claim',
    ClaimExpired: 'a claim has expired, or is deleted for that',
    WarmPoolProgressing: 'a warm pool that did not progress does so again',
  },
  Warning: {
    MultiplePods: 'several pods are controlled by one Sandbox',
    NetworkPolicyFailed: 'a template has no NetworkPolicy of its own, or an old one',
    WarmPoolNotProgressing: 'members of a warm pool cannot be scheduled and are kept',
    WarmPoolRefillFailed: 'members of a warm pool could not be created',
    WarmPoolStartFailed: 'containers of members end in StartError, which slows the refill',
  },
} as const satisfies EventTable;

declare module '../contract/event-reasons.ts' {
  interface NormalReasons extends Record<keyof typeof agentSandboxEvents.Normal, true> {}
  interface WarningReasons extends Record<keyof typeof agentSandboxEvents.Warning, true> {}
}
