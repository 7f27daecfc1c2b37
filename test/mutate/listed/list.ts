// All listed mutants, in the order of what they show.
import { ofAdmission, ofPolicies, ofSlots } from './activator.ts';
import { ofBounds, ofFailures } from './bounds.ts';
import { ofClaimRules } from './claim-rules.ts';
import { ofClaims } from './claims.ts';
import { ofCliques } from './cliques.ts';
import { ofDomains } from './domains.ts';
import { ofLeases, ofMessages, ofServers, ofWatches } from './edge.ts';
import { ofFabric } from './fabric.ts';
import { ofFailingConnections } from './failing-connections.ts';
import { ofTerminations, ofUpdates } from './gang-life.ts';
import { ofGangScenarios } from './gang-scenarios.ts';
import { ofGroveGaps } from './grove-gaps.ts';
import { ofGroveRules } from './grove-rules.ts';
import { ofHostility } from './hostile.ts';
import { ofLimits } from './limits.ts';
import type { ListedMutant } from './mutant.ts';
import { ofDelivery, ofObservation, ofOrdering, ofPriority } from './ordering.ts';
import { ofOwnership, ofSupervision } from './owners.ts';
import { ofPoolRules } from './pool-rules.ts';
import { ofPools } from './pools.ts';
import { ofProcesses } from './processes.ts';
import { ofReports } from './reports.ts';
import { ofRequests } from './requests.ts';
import { ofRevisions } from './revisions.ts';
import { ofComputeDomains, ofGrove, ofSandboxes } from './rules.ts';
import { ofSandboxRules } from './sandbox-rules.ts';
import { ofSandboxObjects } from './sandboxes.ts';
import { ofSharedShards } from './shared-shards.ts';
import { ofLoads, ofSources } from './sources.ts';
import { ofDays, ofMachines } from './whole.ts';

export const listed: readonly ListedMutant[] = [
  ...ofOrdering,
  ...ofObservation,
  ...ofWatches,
  ...ofDelivery,
  ...ofMessages,
  ...ofPriority,
  ...ofBounds,
  ...ofServers,
  ...ofFailures,
  ...ofSupervision,
  ...ofOwnership,
  ...ofLeases,
  ...ofMachines,
  ...ofDays,
  ...ofGrove,
  ...ofGroveRules,
  ...ofGroveGaps,
  ...ofGangScenarios,
  ...ofTerminations,
  ...ofUpdates,
  ...ofComputeDomains,
  ...ofCliques,
  ...ofDomains,
  ...ofFabric,
  ...ofProcesses,
  ...ofHostility,
  ...ofSharedShards,
  ...ofFailingConnections,
  ...ofSandboxes,
  ...ofClaims,
  ...ofSandboxObjects,
  ...ofPools,
  ...ofClaimRules,
  ...ofSandboxRules,
  ...ofPoolRules,
  ...ofSlots,
  ...ofPolicies,
  ...ofAdmission,
  ...ofReports,
  ...ofRequests,
  ...ofLimits,
  ...ofRevisions,
  ...ofSources,
  ...ofLoads,
];
