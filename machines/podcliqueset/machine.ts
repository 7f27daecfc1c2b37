// The life of a PodCliqueSet. Facts are absorbed as they come; a settle plans what was touched.
// What happens is in plan.ts. Updates and gang termination will be regions beside `working`.
import { assign, setup } from 'xstate';
import type { MachineInput } from '../behaviour.ts';
import { stepsBy } from '../internal.ts';
import { settleBy } from '../phases.ts';
import type { Intent } from '../vocabulary.ts';
import { absorb } from './absorb.ts';
import type { SetEvent } from './absorb.ts';
import { startContext } from './context.ts';
import type { SetContext, Standing } from './context.ts';
import { plan } from './plan.ts';

const standingOf = ({ set, totals }: SetContext): Standing =>
  set !== undefined && totals.available >= set.replicas && totals.pending === 0
    ? 'available'
    : 'deploying';

const steps = stepsBy<SetContext, SetEvent>({
  end: 'set.gone',
  absorb,
  plan,
  isMoved: (before, after) =>
    before.set?.deleting !== after.set?.deleting || standingOf(before) !== standingOf(after),
});
export const setInternal = steps.internal;

const chart = setup({
  types: {
    context: {} as SetContext,
    events: {} as SetEvent,
    input: {} as MachineInput,
  },
  guards: {
    isNews: ({ context, event }) => steps.absorb(context, event) !== context,
    isOwnGone: ({ context, event }) => event.type === 'set.gone' && event.uid === context.set?.uid,
    isOwnKnown: ({ context }) => context.set !== undefined,
    isDeleting: ({ context }) => context.set?.deleting === true,
    isAlive: ({ context }) => context.set?.deleting === false,
    isAvailable: ({ context }) => standingOf(context) === 'available',
    isDeploying: ({ context }) => standingOf(context) === 'deploying',
  },
  actions: {
    absorb: assign(({ context, event }) => steps.absorb(context, event)),
    intend: (_, _params: Intent) => {},
  },
});

const settle = chart.enqueueActions(settleBy(steps.plan));

export const setMachine = chart.createMachine({
  id: 'podcliqueset',
  context: ({ input }) => startContext(input),
  initial: 'starting',
  on: {
    'set.gone': { guard: 'isOwnGone', target: '.gone' },
    '*': { guard: 'isNews', actions: 'absorb' },
  },
  states: {
    /** The object itself was not seen yet. */
    starting: {
      on: { settle: { actions: settle } },
      always: { guard: 'isOwnKnown', target: 'working' },
    },
    working: {
      on: { settle: { actions: settle } },
      always: { guard: 'isDeleting', target: 'draining' },
      initial: 'deploying',
      states: {
        /** Some replica is not available, or a child is not as the spec wants it. */
        deploying: { always: { guard: 'isAvailable', target: 'available' } },
        available: { always: { guard: 'isDeploying', target: 'deploying' } },
      },
    },
    /** Being deleted: the children are deleted too, then our finalizer goes (plan/drain.ts). */
    draining: {
      on: { settle: { actions: settle } },
      always: { guard: 'isAlive', target: 'working' },
    },
    gone: { type: 'final' },
  },
});
