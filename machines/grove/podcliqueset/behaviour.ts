// The life of a PodCliqueSet: what all its replicas share, the replicas one by one, and a status
// that adds them up. Being deleted, it deletes its children and then lets go.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { entries } from '../children/radix.ts';
import { isEmpty } from '../children/type.ts';
import { sayErrors } from '../../contract/failure-log.ts';
import { ensureFinalizer } from '../finalizer.ts';
import type { ObservedSet } from '../objects/podcliqueset.ts';
import type { GroveInput } from '../settings.ts';
import { replicasIn, startContext, type Query, type SetContext, type Step } from './context.ts';
import {
  explainOutdated,
  explainProblems,
  fine,
  view,
  whyReplicas,
  whyTerminating,
} from './explain.ts';
import { reduce, type SetEvent } from './reduce.ts';
import { awaitGangs, ensureCommonClaims, ensureReplicas, replicaChart } from './replicas.ts';
import { isAdopting, rolloutRegion } from './rollout.ts';
import { readiness, writeStatus } from './status.ts';
import { ensureAccess } from './children/access.ts';
import { deleteAll } from './steps/delete-all.ts';
import { adoptHashes } from './steps/adopt-hashes.ts';
import { announceDomains, announceDomainsSoFar, releaseUnwantedDomains } from './steps/domains.ts';
import { advanceRollout, awaitRelease, followTemplate } from './steps/rollout.ts';
import { announceAvailable, announceDegraded, forgetHealth } from './steps/health.ts';
import { announceErrors, awaitTermination, keepReplicas } from './steps/terminate.ts';
import { ensureToken } from './token.ts';
import { explainTopology, levelsType, levelsUnavailable, topologyRegion } from './topology.ts';
import { keyIn, type Reading } from '../../contract/view.ts';
import { readingsOfTemplates } from '../views/claim-template.ts';
import { gangFailures } from '../views/gang-template.ts';
import { topologyLevels } from '../views/topology.ts';

const setReads: Query<readonly Reading[]> = ({ settings }, set) => [
  { view: gangFailures, key: keyIn(set, set.name) },
  ...(settings.isTopologyAware && set.topologyName !== ''
    ? [{ view: topologyLevels, key: set.topologyName }]
    : []),
  ...readingsOfTemplates(set),
];

/** What replicas wait for. */
const awaitReplicas: Step = (context, set) => ({
  intents: [],
  changes: {},
  waits: [{ say: () => whyReplicas(context, set) }],
});

const active = ['active'];
const accepted = ['active.spec.accepted'];

export const podCliqueSet = defineBehaviour<SetContext, ObservedSet, SetEvent, GroveInput>({
  kind: 'podcliqueset',
  controller: 'podcliqueset-controller',
  own: { of: ({ set }) => set, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  reads: setReads,
  chart: {
    active: {
      regions: {
        /** Refused: nothing can be planned from the spec; adopting: nothing is planned yet, as
         *  another controller looked after the set. */
        spec: classified({
          refused: (_, set) => set.problem !== undefined,
          adopting: isAdopting,
          accepted: otherwise,
        }),
        /** Complete: every child is there as the spec wants it, and none is too many. */
        children: classified({
          unplanned: ({ planned }, set) => planned === undefined || set.problem !== undefined,
          pending: (context) => replicasIn(context, 'children.pending') > 0,
          complete: otherwise,
        }),
        /** Idle: there is no replica to be available, or none that can be planned. */
        availability: classified({
          idle: (_, set) => set.replicas === 0 || set.problem !== undefined,
          available: (context, set) =>
            replicasIn(context, 'availability.available') >= set.replicas,
          unavailable: otherwise,
        }),
        rollout: rolloutRegion,
        topology: topologyRegion,
        readiness: readiness.region,
      },
    },
  },
  steps: [
    { do: deleteAll, in: ['terminating'] },
    { do: ensureFinalizer, in: active },
    { do: ensureAccess, in: active },
    { do: ensureToken, in: active },
    { do: adoptHashes, in: ['active.spec.adopting'] },
    { do: ensureCommonClaims, in: accepted },
    { do: ensureReplicas, in: accepted },
    { do: keepReplicas, in: accepted },
    { do: awaitTermination, in: accepted },
    { do: awaitGangs, in: accepted },
    { do: followTemplate, in: ['active.rollout.current'] },
    { do: advanceRollout, in: ['active.rollout.replacing'] },
    { do: awaitRelease, in: ['active.rollout.held'] },
    { do: releaseUnwantedDomains, in: ['active.spec.refused'] },
    { do: announceErrors, in: active },
    { do: forgetHealth, in: ['active.availability.idle'] },
    { do: announceAvailable, in: ['active.availability.available'] },
    { do: announceDegraded, in: ['active.availability.unavailable'] },
    { do: announceDomains, in: ['active.children.complete'] },
    {
      do: announceDomainsSoFar,
      in: ['active.children.unplanned', 'active.children.pending'],
    },
    { do: awaitReplicas, in: active },
  ],
  whileAwaited: releaseUnwantedDomains,
  rows: { replica: replicaChart },
  conditions: { [levelsType]: levelsUnavailable, Ready: readiness.ready },
  status: writeStatus,
  requiredStatus: { updatedReplicas: 0, availableReplicas: 0 },
  explain: {
    terminating: (context, set) => [whyTerminating(context, set), ...sayErrors(context.errors)],
    active: explainProblems,
    'active.readiness.outdated': explainOutdated,
    ...explainTopology,
  },
  fine,
  view,
  hasNothing: ({ replicas, claims, access }) =>
    claims.size === 0 && isEmpty(access) && entries(replicas).next().done === true,
});
