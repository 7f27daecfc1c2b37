// An environment as the DaemonSet and the claim give it to the agent, for the tests of its parts.
import { readSettings } from '#src/agent/settings.ts';
import type { AgentSettings } from '#src/agent/settings.ts';

type Env = Readonly<Record<string, string | undefined>>;

export const agentEnv = (over: Env): Env => ({
  CLIQUE_ID: 'c.1',
  COMPUTE_DOMAIN_UUID: 'cd',
  COMPUTE_DOMAIN_NAME: 'domain',
  COMPUTE_DOMAIN_NAMESPACE: 'team',
  NODE_NAME: 'node-0',
  POD_IP: '10.0.0.1',
  POD_UID: 'pod-uid',
  POD_NAME: 'daemon-0',
  POD_NAMESPACE: 'driver',
  MAX_NODES_PER_IMEX_DOMAIN: '18',
  ...over,
});

export const agentSettings = (over: Env = {}): AgentSettings => readSettings(agentEnv(over));
