// The kinds of all modules, known to whoever imports this: runtime, bus and edge take them from
// here, files of machines/ from contract/kinds.ts.
import { activatorActors, activatorKinds } from './activator/kinds.ts';
import { agentSandboxActors, agentSandboxKinds } from './agentsandbox/kinds.ts';
import { addKinds } from './contract/kinds.ts';
import { groveActors, groveKinds } from './grove/kinds.ts';
import { nvidiaActors, nvidiaKinds } from './nvidia/kinds.ts';

export * from './contract/kinds.ts';
export type { ActorKind, Feature, Kind, SchedulerBackend } from './contract/kind.ts';

addKinds(groveKinds, groveActors);
addKinds(nvidiaKinds, nvidiaActors);
addKinds(agentSandboxKinds, agentSandboxActors);
addKinds(activatorKinds, activatorActors);
