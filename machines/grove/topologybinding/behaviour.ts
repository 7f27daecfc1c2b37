// The life of a ClusterTopologyBinding: it keeps the topologies of the scheduler backends as its
// levels say, and tells how they stand. One being deleted wants nothing: the garbage collector
// takes its topologies.
import { defineBehaviour } from '../../statechart/define.ts';
import { classified, otherwise } from '../../statechart/region.ts';
import { announceErrorsBy, sayError } from '../../contract/failure-log.ts';
import type { ObservedBinding } from '../objects/topologybinding.ts';
import type { GroveInput } from '../settings.ts';
import { awareBackends, explainTopologies, findingsOf, view, whyTerminating } from './backends.ts';
import { bindingReads, reduce, startContext } from './context.ts';
import type { BindingContext, BindingEvent } from './context.ts';
import {
  announceDrift,
  announceInSync,
  drift,
  driftType,
  ensureTopologies,
  forgetDrift,
  writeStatus,
} from './status.ts';

const active = ['active'];

export const topologyBinding = defineBehaviour<
  BindingContext,
  ObservedBinding,
  BindingEvent,
  GroveInput
>({
  kind: 'topologybinding',
  controller: 'clustertopology',
  own: { of: ({ binding }) => binding, isGone: ({ isGone }) => isGone },
  start: startContext,
  reduce,
  reads: bindingReads,
  chart: {
    active: {
      regions: {
        /** A topology that drifted is not ours to put right, or was refused. */
        sync: classified({
          writing: (context, binding) =>
            findingsOf(context, binding).some(({ inSync }) => inSync === undefined),
          unmanaged: (context, binding) => findingsOf(context, binding).length === 0,
          unavailable: (context, binding) =>
            findingsOf(context, binding).some(({ scheduler }) => !isAware(context, scheduler)),
          inSync: (context, binding) =>
            findingsOf(context, binding).every(({ inSync }) => inSync === true),
          drifted: otherwise,
        }),
      },
    },
  },
  steps: [
    { do: ensureTopologies, in: active },
    { do: announceErrorsBy(() => 'TopologySyncFailed'), in: active },
    { do: announceInSync, in: ['active.sync.inSync'] },
    { do: announceDrift, in: ['active.sync.drifted'] },
    { do: forgetDrift, in: ['active.sync.unavailable'] },
  ],
  conditions: { [driftType]: drift },
  status: writeStatus,
  explain: {
    terminating: (_, binding) => [whyTerminating(binding)],
    active: (context) => context.errors.map(sayError),
    'active.sync.unmanaged': () => [
      'no scheduler backend that knows topologies is enabled; nothing is to be done',
    ],
    'active.sync.writing': explainTopologies,
    'active.sync.unavailable': explainTopologies,
    'active.sync.drifted': explainTopologies,
  },
  fine: () => 'the topologies of all scheduler backends are in sync',
  view,
  hasNothing: () => true,
});

const isAware = (context: BindingContext, scheduler: string): boolean =>
  awareBackends(context).some((name) => name === scheduler);
