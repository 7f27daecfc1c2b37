// The part of the configuration that the behaviours of agent-sandbox depend on. Called by edge.ts.
import type { AgentSandboxSettings } from '#machines/agentsandbox/settings.ts';
import type { Configuration } from '#src/config/schema.ts';

export const agentSandboxSettings = (_configuration: Configuration): AgentSandboxSettings => ({
  clusterDomain: 'cluster.local',
  routerNamespace: 'agent-sandbox-system',
  writeBehindMs: 0,
  warmPool: {
    maxBatchSize: 300,
    replenishDelayMs: 0,
    maxRefillRate: 0,
    readinessGraceMs: 300_000,
    unschedulableRecheckMs: 60_000,
    isEvictable: true,
  },
  claims: { hasEvents: true, hasObservability: true, labelDomains: ['sandbox.users.io'] },
});
