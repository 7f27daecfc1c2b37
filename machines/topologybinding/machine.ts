// The life of a ClusterTopologyBinding: it keeps the topologies of the scheduler backends as its
// levels say, and tells how they stand. What happens is in plan.ts.
import { assign, setup } from 'xstate';
import type { MachineInput } from '../behaviour.ts';
import { stepsBy } from '../internal.ts';
import { settleBy } from '../phases.ts';
import type { Intent } from '../vocabulary.ts';
import { absorb, startContext } from './context.ts';
import type { BindingContext, BindingEvent } from './context.ts';
import { plan } from './plan.ts';

const steps = stepsBy<BindingContext, BindingEvent>({
  end: 'binding.gone',
  absorb,
  plan,
  isMoved: (before, after) =>
    before.binding?.deleting !== after.binding?.deleting || before.standing !== after.standing,
});
export const bindingInternal = steps.internal;

const chart = setup({
  types: {
    context: {} as BindingContext,
    events: {} as BindingEvent,
    input: {} as MachineInput,
  },
  guards: {
    isNews: ({ context, event }) => steps.absorb(context, event) !== context,
    isOwnGone: ({ context, event }) =>
      event.type === 'binding.gone' && event.uid === context.binding?.uid,
    isOwnKnown: ({ context }) => context.binding !== undefined,
    isDeleting: ({ context }) => context.binding?.deleting === true,
    isAlive: ({ context }) => context.binding?.deleting === false,
    isUnknown: ({ context }) => context.standing === 'unknown',
    isInSync: ({ context }) => context.standing === 'inSync',
    isDrifted: ({ context }) => context.standing === 'drifted',
  },
  actions: {
    absorb: assign(({ context, event }) => steps.absorb(context, event)),
    intend: (_, _params: Intent) => {},
  },
});

const settle = chart.enqueueActions(settleBy(steps.plan));

const toInSync = { guard: 'isInSync', target: 'inSync' } as const;
const toDrifted = { guard: 'isDrifted', target: 'drifted' } as const;
const toSyncing = { guard: 'isUnknown', target: 'syncing' } as const;

export const bindingMachine = chart.createMachine({
  id: 'topologybinding',
  context: ({ input }) => startContext(input),
  initial: 'starting',
  on: {
    'binding.gone': { guard: 'isOwnGone', target: '.gone' },
    '*': { guard: 'isNews', actions: 'absorb' },
  },
  states: {
    /** The object itself was not seen yet. */
    starting: { always: { guard: 'isOwnKnown', target: 'working' } },
    working: {
      on: { settle: { actions: settle } },
      always: { guard: 'isDeleting', target: 'draining' },
      initial: 'syncing',
      states: {
        /** A topology is being written. */
        syncing: { always: [toInSync, toDrifted] },
        inSync: { always: [toSyncing, toDrifted] },
        /** A topology is not as the levels say, and it is not ours to put right or was refused. */
        drifted: { always: [toSyncing, toInSync] },
      },
    },
    /** Being deleted; it holds no finalizer of ours. */
    draining: { always: { guard: 'isAlive', target: 'working' } },
    gone: { type: 'final' },
  },
});
