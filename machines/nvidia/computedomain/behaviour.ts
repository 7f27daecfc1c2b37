// The life of a ComputeDomain: it makes what its daemons and its workload claim, adds up what its
// cliques and pods say into its status, and ends in an order that leaves nothing behind.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import type { ObservedDomain } from '../objects/domain.ts';
import { finalizer } from '../objects/labels.ts';
import type { NvidiaInput } from '../settings.ts';
import { missingTypes } from './children/table.ts';
import { domainReads, reduce, startContext } from './context.ts';
import type { DomainContext, DomainEvent } from './context.ts';
import {
  explainErrors,
  explainLeaving,
  explainMissing,
  explainNodes,
  fine,
  view,
} from './explain.ts';
import { planStatus, writeStatus } from './status.ts';
import {
  announceErrors,
  announceMixed,
  announceSize,
  ensureChildren,
  ensureFinalizer,
  forgetMixed,
  forgetSize,
  sayMixed,
  saySize,
} from './steps.ts';
import {
  deleteChildren,
  releaseDaemons,
  releaseDomain,
  releaseWorkload,
  teardown,
  unlabelNodes,
  whyDeleting,
  whyReleased,
  whyReleasing,
  whyUnlabelling,
} from './teardown.ts';

const isHeld = ({ finalizers }: ObservedDomain): boolean => finalizers.includes(finalizer);

export const computeDomain = defineBehaviour<
  DomainContext,
  ObservedDomain,
  DomainEvent,
  NvidiaInput
>({
  kind: 'computedomain',
  controller: 'computedomain',
  own: { of: ({ domain }) => domain, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  reads: domainReads,
  chart: {
    active: {
      regions: {
        children: classified({
          unheld: (_, domain) => !isHeld(domain),
          complete: (context, domain) => missingTypes(context, domain).length === 0,
          missing: otherwise,
        }),
        /** Of daemons that list themselves in the status and such as are in cliques. */
        daemons: classified({
          mixed: ({ listing }) => listing.mixedSince !== undefined,
          alike: otherwise,
        }),
        status: classified({
          small: ({ listing }) => listing.size === 'small',
          large: ({ listing }) => listing.size === 'large',
          excessive: otherwise,
        }),
      },
    },
    terminating: { regions: { teardown } },
  },
  steps: [
    { do: ensureFinalizer, in: ['active.children.unheld'] },
    { do: ensureChildren, in: ['active.children.missing'] },
    // The answer to the finalizer brings another version, on which the status is written.
    { do: planStatus, in: ['active.children.missing', 'active.children.complete'] },
    { do: announceMixed, in: ['active.daemons.mixed'] },
    { do: forgetMixed, in: ['active.daemons.alike'] },
    { do: announceSize, in: ['active.status.large', 'active.status.excessive'] },
    { do: forgetSize, in: ['active.status.small'] },
    { do: deleteChildren, in: ['terminating.teardown.deletingChildren'] },
    { do: unlabelNodes, in: ['terminating.teardown.unlabelling'] },
    { do: releaseWorkload, in: ['terminating.teardown.releasingWorkload'] },
    { do: releaseDaemons, in: ['terminating.teardown.releasingDaemons'] },
    { do: releaseDomain, in: ['terminating.teardown.released'] },
    { do: announceErrors, in: ['active', 'terminating'] },
  ],
  status: writeStatus,
  requiredStatus: { status: 'NotReady' },
  explain: {
    active: explainErrors,
    terminating: explainErrors,
    'active.children.unheld': () => ['our finalizer is about to be put on it'],
    'active.children.missing': explainMissing,
    'active.children.complete': (context, domain) => [
      ...explainLeaving(context),
      ...explainNodes(context, domain),
    ],
    'active.daemons.mixed': (context) => [sayMixed(context)],
    'active.status.large': (context) => [saySize(context)],
    'active.status.excessive': (context) => [saySize(context)],
    'terminating.teardown.deletingChildren': whyDeleting,
    'terminating.teardown.unlabelling': whyUnlabelling,
    'terminating.teardown.releasingWorkload': whyReleasing,
    'terminating.teardown.releasingDaemons': whyReleasing,
    'terminating.teardown.released': (_, domain) => whyReleased(domain),
  },
  fine,
  view,
  hasNothing: () => true,
  saysAll: true,
});
