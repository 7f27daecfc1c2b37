// The states of charts by name, for tests that want to see all of them, and the state that a fresh
// start comes to.
import type { AnyMachineSnapshot, AnyStateMachine } from 'xstate';
import type { Behaviour } from '#machines/contract/behaviour.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';

interface Node {
  readonly states: Readonly<Record<string, Node>>;
}

/** Dotted names of the states that have no states inside. */
export const leavesOf = (machine: AnyStateMachine): readonly string[] => leaves(machine.root, '');

const leaves = ({ states }: Node, path: string): readonly string[] =>
  Object.entries(states).flatMap(([name, node]) =>
    Object.keys(node.states).length === 0 ? [`${path}${name}`] : leaves(node, `${path}${name}.`),
  );

/** The same of those that a chart is in. */
export function leavesIn(value: unknown, path = ''): readonly string[] {
  if (typeof value === 'string') return [`${path}${value}`];
  return Object.entries(Object(value)).flatMap(([name, inner]) =>
    leavesIn(inner, `${path}${name}.`),
  );
}

/** Where the chart would stand if the actor had just started with what it knows. */
export const afterRestart = (
  { machine, reconcile }: Behaviour<never>,
  { context }: AnyMachineSnapshot,
  now: EpochMs,
): unknown => reconcile(machine.resolveState({ value: 'awaited', context }), now).snapshot.value;
