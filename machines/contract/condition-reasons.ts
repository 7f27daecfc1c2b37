// The reasons of conditions, which people read in statuses, wait for and look up at night. Each
// module has a table of its own (`Module.conditions`) and adds the names to the interface below, so
// no chart can say anything else; the runtime's own are here. docs/runbooks/conditions.md has a
// section for each, by a test.

/** By reason: what the object is told by it. */
export type ConditionTable = Readonly<Record<string, string>>;

export const runtimeConditions = {
  RestartIntensityExceeded: 'the actor of the object crashed again and again and was parked',
  Stopped: 'the actor cannot read the object, or somebody has parked it',
} as const satisfies ConditionTable;

/** Keys are the reasons. */
export interface ConditionReasons extends Record<keyof typeof runtimeConditions, true> {}

export type ConditionReason = keyof ConditionReasons;
