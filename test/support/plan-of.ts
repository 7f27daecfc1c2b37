// What a behaviour makes of a context that a test has put together: one reconcile from a fresh
// start of the chart. Used by the tests of single behaviours.
import type { AnyMachineSnapshot } from 'xstate';
import type { Behaviour, Wait } from '#machines/contract/behaviour.ts';
import type { Intent } from '#machines/contract/intents.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import type { EpochMs } from '#machines/kubernetes/time.ts';

export interface Planned<C> {
  readonly intents: readonly Intent[];
  /** Fields of the context that are others than before. */
  readonly changes: Partial<C>;
  readonly waits: readonly Wait[];
}

const snapshotOf = (behaviour: Behaviour<never>, context: object): AnyMachineSnapshot =>
  behaviour.machine.resolveState({ value: 'awaited', context });

export function planOf<C extends object>(
  behaviour: Behaviour<never>,
  context: C,
  now: EpochMs,
): Planned<C> {
  const { snapshot, ...planned } = behaviour.reconcile(snapshotOf(behaviour, context), now);
  const after: C = snapshot.context;
  const before: ReadonlyMap<string, unknown> = new Map(Object.entries(context));
  const changes: Partial<C> = {};
  for (const [name, value] of Object.entries(after)) {
    if (before.get(name) !== value) Object.assign(changes, { [name]: value });
  }
  return { ...planned, changes };
}

export const whyOf = (
  behaviour: Behaviour<never>,
  context: object,
  now: EpochMs,
): readonly string[] => behaviour.why(snapshotOf(behaviour, context), now);

/** The status that is to be written; fails where none is. */
export function statusOf(behaviour: Behaviour<never>, context: object, now: EpochMs): JsonObject {
  const { intents } = planOf(behaviour, context, now);
  const write = intents.find((intent) => intent.type === 'writeStatus');
  if (write === undefined) throw new Error('no status is written');
  return write.status;
}
