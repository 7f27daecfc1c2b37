// Warm pools of sandboxes: agents.x-k8s.io and extensions.agents.x-k8s.io, in the place of
// agent-sandbox's controller.
import { namesOf } from '../contract/module.ts';
import type { Module } from '../contract/module.ts';
import { sandboxClaim } from './claim/behaviour.ts';
import { agentSandboxConditions } from './condition-reasons.ts';
import { agentSandboxEvents } from './events.ts';
import { agentSandboxFamilies, sandboxGauge } from './families.ts';
import { agentSandboxKinds } from './kinds.ts';
import { agentSandboxRoutes } from './routes.ts';
import { sandbox } from './sandbox/behaviour.ts';
import type { AgentSandboxInput } from './settings.ts';
import { sandboxTemplate } from './template/behaviour.ts';
import { assignmentFailure, sandboxesOfClaim, templateOfPool } from './views/claims.ts';
import { sandboxByName, templateByName } from './views/objects.ts';
import { ordinalsOfPool } from './views/ordinals.ts';
import { orphansOfPool } from './views/orphans.ts';
import { startErrors } from './views/start-errors.ts';
import { unownedByName } from './views/unowned.ts';
import { sandboxWarmPool } from './warmpool/behaviour.ts';

export const agentsandbox: Module<AgentSandboxInput> = {
  name: 'agentsandbox',
  kinds: namesOf(agentSandboxKinds),
  behaviours: [sandbox, sandboxTemplate, sandboxClaim, sandboxWarmPool],
  routes: agentSandboxRoutes,
  views: [
    sandboxByName,
    templateByName,
    sandboxesOfClaim,
    assignmentFailure,
    templateOfPool,
    unownedByName,
    orphansOfPool,
    ordinalsOfPool,
    startErrors,
  ],
  events: agentSandboxEvents,
  conditions: agentSandboxConditions,
  gauges: [sandboxGauge],
  families: agentSandboxFamilies,
};

/** Sandboxes alone. */
export const withoutExtensions: Module<AgentSandboxInput> = {
  ...agentsandbox,
  kinds: namesOf(agentSandboxKinds).filter((kind) => !('feature' in agentSandboxKinds[kind])),
  behaviours: [sandbox],
};
