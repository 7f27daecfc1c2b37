// The life of a PodCliqueScalingGroup. Facts are absorbed as they come; a settle plans. What
// happens is in plan.ts. Updates and gang termination will be regions beside `working`.
import { assign, setup } from 'xstate';
import type { MachineInput } from '../behaviour.ts';
import { stepsBy } from '../internal.ts';
import { settleBy } from '../phases.ts';
import type { Intent } from '../vocabulary.ts';
import { absorb } from './absorb.ts';
import type { GroupEvent } from './absorb.ts';
import { startContext } from './context.ts';
import type { GroupContext } from './context.ts';
import { plan } from './plan.ts';

const steps = stepsBy<GroupContext, GroupEvent>({
  end: 'group.gone',
  absorb,
  plan,
  isMoved: (before, after) =>
    before.group?.deleting !== after.group?.deleting || before.standing !== after.standing,
});
export const groupInternal = steps.internal;

const chart = setup({
  types: {
    context: {} as GroupContext,
    events: {} as GroupEvent,
    input: {} as MachineInput,
  },
  guards: {
    isNews: ({ context, event }) => steps.absorb(context, event) !== context,
    isOwnGone: ({ context, event }) =>
      event.type === 'group.gone' && event.uid === context.group?.uid,
    isOwnKnown: ({ context }) => context.group !== undefined,
    isDeleting: ({ context }) => context.group?.deleting === true,
    isAlive: ({ context }) => context.group?.deleting === false,
    isAvailable: ({ context }) => context.standing === 'available',
    isDeploying: ({ context }) => context.standing === 'deploying',
  },
  actions: {
    absorb: assign(({ context, event }) => steps.absorb(context, event)),
    intend: (_, _params: Intent) => {},
  },
});

const settle = chart.enqueueActions(settleBy(steps.plan));

export const groupMachine = chart.createMachine({
  id: 'scalinggroup',
  context: ({ input }) => startContext(input),
  initial: 'starting',
  on: {
    'group.gone': { guard: 'isOwnGone', target: '.gone' },
    '*': { guard: 'isNews', actions: 'absorb' },
  },
  states: {
    /** The object itself was not seen yet; its set may be. */
    starting: { always: { guard: 'isOwnKnown', target: 'working' } },
    working: {
      on: { settle: { actions: settle } },
      always: { guard: 'isDeleting', target: 'draining' },
      initial: 'deploying',
      states: {
        /** Some replica is not available, or a member is not as the template wants it. */
        deploying: { always: { guard: 'isAvailable', target: 'available' } },
        available: { always: { guard: 'isDeploying', target: 'deploying' } },
      },
    },
    /** Being deleted: the members are deleted too, then our finalizer goes (plan/drain.ts). */
    draining: {
      on: { settle: { actions: settle } },
      always: { guard: 'isAlive', target: 'working' },
    },
    gone: { type: 'final' },
  },
});
