// The life of a PodClique. Facts are absorbed as they come; a settle plans. The states of `working`
// only name where it stands, for people and for the inspector; what happens is in plan.ts.
import { assign, setup } from 'xstate';
import type { MachineInput } from '../behaviour.ts';
import { stepsBy } from '../internal.ts';
import { settleBy } from '../phases.ts';
import type { Intent } from '../vocabulary.ts';
import { absorb } from './absorb.ts';
import type { CliqueEvent } from './absorb.ts';
import { startContext } from './context.ts';
import type { CliqueContext, Standing } from './context.ts';
import { plan } from './plan.ts';

const steps = stepsBy<CliqueContext, CliqueEvent>({
  end: 'clique.gone',
  absorb,
  plan,
  isMoved: (before, after) =>
    before.clique?.deleting !== after.clique?.deleting || before.standing !== after.standing,
});
export const cliqueInternal = steps.internal;

const chart = setup({
  types: {
    context: {} as CliqueContext,
    events: {} as CliqueEvent,
    input: {} as MachineInput,
  },
  guards: {
    isNews: ({ context, event }) => steps.absorb(context, event) !== context,
    isOwnGone: ({ context, event }) =>
      event.type === 'clique.gone' && event.uid === context.clique?.uid,
    isOwnKnown: ({ context }) => context.clique !== undefined,
    isDeleting: ({ context }) => context.clique?.deleting === true,
    isAlive: ({ context }) => context.clique?.deleting === false,
    isAt: ({ context }, params: { readonly standing: Standing }) =>
      context.standing === params.standing,
  },
  actions: {
    absorb: assign(({ context, event }) => steps.absorb(context, event)),
    intend: (_, _params: Intent) => {},
  },
});

const settle = chart.enqueueActions(settleBy(steps.plan));

export const cliqueMachine = chart.createMachine({
  id: 'podclique',
  context: ({ input }) => startContext(input),
  initial: 'starting',
  on: {
    'clique.gone': { guard: 'isOwnGone', target: '.gone' },
    '*': { guard: 'isNews', actions: 'absorb' },
  },
  states: {
    /** The object itself was not seen yet. */
    starting: { always: { guard: 'isOwnKnown', target: 'working' } },
    working: {
      on: { settle: { actions: settle } },
      always: { guard: 'isDeleting', target: 'draining' },
      initial: 'waiting',
      states: {
        /** No pod is there. */
        waiting: { always: standings('filling', 'starting', 'available') },
        /** Some pods are there. */
        filling: { always: standings('waiting', 'starting', 'available') },
        /** All pods are there, too few are ready. */
        starting: { always: standings('waiting', 'filling', 'available') },
        /** At least minAvailable pods are ready. */
        available: { always: standings('waiting', 'filling', 'starting') },
      },
    },
    /** Being deleted: the pods are deleted too, then our finalizer goes (plan/drain.ts). */
    draining: {
      on: { settle: { actions: settle } },
      always: { guard: 'isAlive', target: 'working' },
    },
    gone: { type: 'final' },
  },
});

function standings<const S extends Standing>(...others: readonly S[]) {
  return others.map((standing) => ({
    guard: { type: 'isAt' as const, params: { standing } },
    target: standing,
  }));
}
