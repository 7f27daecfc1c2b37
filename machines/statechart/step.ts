// What a step of a behaviour comes to. A step belongs to states of the chart and runs once per
// reconcile; it sees what the steps before it changed. Used by every behaviour and by reconcile.ts.
import type { Wait } from '../contract/behaviour.ts';
import type { Intent } from '../contract/intents.ts';
import type { Rule } from './region.ts';

export interface StepResult<C> {
  readonly intents: readonly Intent[];
  /** What the context must remember. */
  readonly changes: Partial<C>;
  readonly waits?: readonly Wait[];
}

/** Nothing to do, to remember or to wait for. */
export const idle = { intents: [], changes: {} } as const;

/** Dotted names of the states that the chart is in: `active`, `active.breach.met`. */
export type ActiveStates = ReadonlySet<string>;

export interface StepIn<C, O> {
  readonly do: Rule<C, O, StepResult<C>>;
  /** Runs where the chart is in one of these. */
  readonly in: readonly string[];
}
