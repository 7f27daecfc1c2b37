// The life of a clique of a ComputeDomain: it alone gives indices to the nodes that join, keeps
// them while a node is known, and says who is ready. Its object may be gone and come back; it lives
// as long as daemons say that they are in it.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { ObservedClique } from '../objects/clique.ts';
import type { NvidiaInput } from '../settings.ts';
import { labelledNodes } from '../views/children.ts';
import { startingDaemons } from '../views/daemons.ts';
import { domainByUid } from '../views/domain.ts';
import { reduce, startContext } from './context.ts';
import type { CliqueContext, CliqueEvent } from './context.ts';
import { decided } from './decided.ts';
import {
  explainDraining,
  explainLost,
  explainMembers,
  explainTerminating,
  explainWrite,
  fine,
  view,
} from './explain.ts';
import { admit, answerJoins, join } from './join.ts';
import { announceComplete, checkSuspects, restartOutdated, tell } from './steps.ts';
import { isAgreed, writeClique } from './write.ts';

/** An object that is being deleted is still what daemons read. */
const there = ['active', 'terminating'];

export const clique = defineBehaviour<CliqueContext, ObservedClique, CliqueEvent, NvidiaInput>({
  kind: 'clique',
  controller: 'computedomainclique',
  own: {
    of: (context) => context.clique,
    isGone: ({ clique: own, lost, daemons, asks }) =>
      own.uid === '' && lost.size > 0 && daemons.size === 0 && asks.size === 0,
  },
  start: startContext,
  reduce,
  reads: (_, { domain }) => [
    { view: domainByUid, key: domain },
    { view: startingDaemons, key: domain },
    { view: labelledNodes, key: domain },
  ],
  chart: {
    active: {
      regions: {
        membership: classified({
          draining: isDraining,
          full: (context) => decided(context).refused.length > 0,
          degraded: isDegraded,
          complete: isComplete,
          forming: otherwise,
        }),
        table: classified({
          agreed: (context, own) => isAgreed(decided(context), own),
          pending: otherwise,
        }),
      },
    },
  },
  steps: [
    { do: admit, in: there },
    { do: checkSuspects, in: there },
    { do: writeClique, in: ['active.table.pending', 'terminating'] },
    { do: answerJoins, in: there },
    { do: restartOutdated, in: ['active.table.agreed', 'terminating'] },
    { do: announceComplete, in: ['active.membership.complete'] },
    { do: tell, in: there },
  ],
  status: () => undefined,
  explain: {
    terminating: explainTerminating,
    'active.membership.draining': explainDraining,
    'active.membership.full': explainMembers,
    'active.membership.degraded': (context) => [
      ...explainLost(context),
      ...explainMembers(context),
    ],
    'active.membership.forming': explainMembers,
    'active.table.pending': explainWrite,
  },
  fine,
  view,
  hasNothing: () => true,
  questions: { join },
  saysAll: true,
});

function isDraining(context: CliqueContext, own: ObservedClique): boolean {
  if (context.domain?.deleting === true) return true;
  return own.rows.length > 0 && decided(context).live.length === 0;
}

/** A row whose daemon is missing or terminating, or was ready and is no more. */
function isDegraded(context: CliqueContext, { rows }: ObservedClique): boolean {
  const live = new Map(decided(context).live.map((pod) => [pod.node, pod]));
  return rows.some(({ nodeName }) => {
    const pod = live.get(nodeName);
    return pod === undefined || (!pod.isReady && context.wereReady.has(pod.uid));
  });
}

function isComplete(context: CliqueContext, { rows }: ObservedClique): boolean {
  const { live } = decided(context);
  const ready = new Set(rows.filter(({ status }) => status === 'Ready').map((row) => row.nodeName));
  return live.length > 0 && live.every(({ node }) => ready.has(node));
}
