// The life of a clique of a ComputeDomain: it alone gives indices to the nodes that join, keeps
// them while a node is known, and says who is ready. Its object may be gone and come back; it lives
// as long as daemons say that they are in it.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { ObservedClique } from '../objects/clique.ts';
import type { NvidiaInput } from '../settings.ts';
import { reduce, startContext } from './context.ts';
import type { CliqueContext, CliqueEvent } from './context.ts';
import { decided, isForeign } from './decided.ts';
import {
  explainDraining,
  explainForeign,
  explainLost,
  explainMembers,
  explainOutdated,
  explainTerminating,
  explainWrite,
  fine,
  view,
} from './explain.ts';
import { admit, answerJoins, join } from './join.ts';
import { readings } from './reads.ts';
import { announceComplete, checkSuspects, restartOutdated, tell } from './steps.ts';
import { isAgreed, writeClique } from './write.ts';

export const clique = defineBehaviour<CliqueContext, ObservedClique, CliqueEvent, NvidiaInput>({
  kind: 'clique',
  controller: 'computedomainclique',
  own: {
    of: (context) => context.clique,
    isGone: (context) =>
      context.clique.uid === '' &&
      context.lost.size > 0 &&
      context.asks.size === 0 &&
      !hasMembers(context),
  },
  start: startContext,
  reduce,
  reads: readings,
  chart: {
    active: {
      regions: {
        membership: classified({
          foreign: isForeign,
          draining: isDraining,
          full: (context) => decided(context).refused.length > 0,
          degraded: isDegraded,
          complete: isComplete,
          forming: otherwise,
        }),
        table: classified({
          agreed: (context, own) => isForeign(context) || isAgreed(decided(context), own),
          pending: otherwise,
        }),
      },
    },
    // Daemons read it as ever, and where it goes another one is made.
    terminating: false,
  },
  steps: [
    { do: admit, in: ['active'] },
    { do: checkSuspects, in: ['active'] },
    { do: writeClique, in: ['active.table.pending'] },
    { do: answerJoins, in: ['active'] },
    { do: restartOutdated, in: ['active.table.agreed'] },
    { do: announceComplete, in: ['active.membership.complete'] },
    { do: tell, in: ['active'] },
  ],
  status: () => undefined,
  explain: {
    active: (context, own) => [
      ...explainTerminating(context, own),
      ...explainOutdated(context, own),
    ],
    'active.membership.foreign': explainForeign,
    'active.membership.draining': (context) => [
      ...explainDraining(context),
      ...explainLost(context),
    ],
    'active.membership.full': (context) => [...explainLost(context), ...explainMembers(context)],
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
  // Daemons that asked have no label by which they would be addressed to it.
  isHeld: hasMembers,
  questions: { join },
  saysAll: true,
});

function hasMembers(context: CliqueContext): boolean {
  return context.daemons.size > 0 || decided(context).members.size > 0;
}

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
