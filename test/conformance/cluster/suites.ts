// The whole conformance suite of API servers by subject. The test files run it against the embedded
// cluster and, where one is named, against a real control plane.
import { serverSideApply } from './apply.ts';
import { agentSandbox } from './agent-sandbox.ts';
import { resourceClaims } from './claims.ts';
import { concurrency } from './concurrency.ts';
import { conversions } from './conversions.ts';
import { daemonChanges } from './daemons/changes.ts';
import { daemonPlaces } from './daemons/places.ts';
import { customResources } from './definitions.ts';
import { deletion } from './deletion.ts';
import { forms } from './forms.ts';
import { lists } from './lists.ts';
import { naming } from './naming.ts';
import { networkPolicies } from './network-policies.ts';
import { patches } from './patches.ts';
import { pods } from './pods.ts';
import { refusals } from './refusals.ts';
import type { Suite } from './session.ts';
import { volumeClaims } from './volumes.ts';
import { watches } from './watches.ts';
import { webhooks } from './webhooks.ts';

export const suites: Readonly<Record<string, Suite>> = {
  'Versions and status': concurrency,
  Deletion: deletion,
  'Server-side apply': serverSideApply,
  Patches: patches,
  'Lists and selectors': lists,
  Watches: watches,
  'Custom resources': customResources,
  'Versions of custom resources': conversions,
  'Pods and friends': pods,
  'Resource claims': resourceClaims,
  'Daemon sets': { ...daemonPlaces, ...daemonChanges },
  'Volume claims': volumeClaims,
  'Network policies': networkPolicies,
  Names: naming,
  'Forms of answers': forms,
  Refusals: refusals,
  Webhooks: webhooks,
  'Agent sandbox': agentSandbox,
};
