// One step of a machine as the tests make it: through the chart, and besides as the runtime makes
// it where the chart stays (decision 0014). Both must come to the same, at every step of every test
// of the machines.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { transition } from 'xstate';
import type { AnyActorLogic, AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Behaviour } from '#machines/behaviour.ts';
import type { Intent } from '#machines/vocabulary.ts';
import { intentsIn } from './world-intents.ts';

export interface ChartStep {
  readonly snapshot: AnyMachineSnapshot;
  readonly intents: readonly Intent[];
}

const empty = { status: 'active', output: undefined, error: undefined } as const;

/**
 * The machine's steps alone. xstate's `transition` makes an actor for each step, and that a first
 * snapshot, which costs as much as the step and is thrown away.
 */
const stepping = (machine: AnyStateMachine): AnyActorLogic => ({
  transition: (snapshot, event, scope) => machine.transition(snapshot, event, scope),
  getInitialSnapshot: () => empty,
  getPersistedSnapshot: () => empty,
});

/** The same snapshot where the event is no news. */
export function stepOf(
  behaviour: Behaviour,
  before: AnyMachineSnapshot,
  event: { readonly type: string },
): ChartStep {
  const [snapshot, actions] = transition(stepping(behaviour.machine), before, event);
  const intents = intentsIn(actions);
  if (before.status === 'active') compare(behaviour, before, event, { snapshot, intents });
  return { snapshot, intents };
}

/** As the runtime makes it: through the chart only where that moves. The two are the same, which
 *  `stepOf` shows, and this one is quick. */
export function quickStepOf(
  behaviour: Behaviour,
  before: AnyMachineSnapshot,
  event: { readonly type: string },
): ChartStep {
  const inside =
    before.status === 'active' ? behaviour.internal?.(before.context, event) : undefined;
  if (inside === undefined) {
    const [snapshot, actions] = transition(stepping(behaviour.machine), before, event);
    return { snapshot, intents: intentsIn(actions) };
  }
  const { context, intents } = inside;
  return { snapshot: context === before.context ? before : { ...before, context }, intents };
}

function compare(
  behaviour: Behaviour,
  before: AnyMachineSnapshot,
  event: { readonly type: string },
  { snapshot, intents }: ChartStep,
): void {
  const inside = behaviour.internal?.(before.context, event);
  if (inside === undefined) return;
  const where = `${behaviour.kind} at ${event.type}`;
  deepStrictEqual(snapshot.value, before.value, `the chart moved: ${where}`);
  deepStrictEqual(snapshot.status, before.status, `the chart ended: ${where}`);
  ok(
    (inside.context === before.context) === (snapshot === before),
    `no agreement whether it is news: ${where}`,
  );
  const { context } = snapshot;
  deepStrictEqual(Object.keys(inside.context).toSorted(), Object.keys(context).toSorted(), where);
  for (const [name, value] of Object.entries(inside.context)) {
    ok(Object.is(value, context[name]), `context.${name}: ${where}`);
  }
  deepStrictEqual(inside.intents, intents, `intents: ${where}`);
}
