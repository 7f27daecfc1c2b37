// The life of a PodGang: it collects what its PodCliques tell until all pods exist, then it is
// initialized and only keeps its list right. What happens is in plan.ts.
import { assign, setup } from 'xstate';
import type { MachineInput } from '../behaviour.ts';
import { stepsBy } from '../internal.ts';
import { settleBy } from '../phases.ts';
import type { Intent } from '../vocabulary.ts';
import { absorb, standingOf, startContext } from './context.ts';
import type { GangContext, GangEvent } from './context.ts';
import { plan } from './plan.ts';

const steps = stepsBy<GangContext, GangEvent>({
  end: 'gang.gone',
  absorb,
  plan,
  isMoved: (before, after) =>
    before.gang?.deleting !== after.gang?.deleting || standingOf(before) !== standingOf(after),
});
export const gangInternal = steps.internal;

const chart = setup({
  types: {
    context: {} as GangContext,
    events: {} as GangEvent,
    input: {} as MachineInput,
  },
  guards: {
    isNews: ({ context, event }) => steps.absorb(context, event) !== context,
    isOwnGone: ({ context, event }) =>
      event.type === 'gang.gone' && event.uid === context.gang?.uid,
    isOwnKnown: ({ context }) => context.gang !== undefined,
    isDeleting: ({ context }) => context.gang?.deleting === true,
    isAlive: ({ context }) => context.gang?.deleting === false,
    isInitialized: ({ context }) => standingOf(context) === 'initialized',
    isCollecting: ({ context }) => standingOf(context) === 'collecting',
  },
  actions: {
    absorb: assign(({ context, event }) => steps.absorb(context, event)),
    intend: (_, _params: Intent) => {},
  },
});

const settle = chart.enqueueActions(settleBy(steps.plan));

export const gangMachine = chart.createMachine({
  id: 'podgang',
  context: ({ input }) => startContext(input),
  initial: 'starting',
  on: {
    'gang.gone': { guard: 'isOwnGone', target: '.gone' },
    '*': { guard: 'isNews', actions: 'absorb' },
  },
  states: {
    /** The object itself was not seen yet. */
    starting: { always: { guard: 'isOwnKnown', target: 'working' } },
    working: {
      on: { settle: { actions: settle } },
      always: { guard: 'isDeleting', target: 'draining' },
      initial: 'collecting',
      states: {
        /** Some pods are not there, not labelled or not listed. */
        collecting: { always: { guard: 'isInitialized', target: 'initialized' } },
        /** The scheduler may place it. A new object of this name starts over. */
        initialized: { always: { guard: 'isCollecting', target: 'collecting' } },
      },
    },
    /** Being deleted; it holds no finalizer of ours. Those who wait for it are told. */
    draining: {
      on: { settle: { actions: settle } },
      always: { guard: 'isAlive', target: 'working' },
    },
    gone: { type: 'final' },
  },
});
