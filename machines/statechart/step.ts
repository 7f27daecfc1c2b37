// What a step of a behaviour comes to. A step belongs to states of the chart and runs once per
// reconcile; it sees what the steps before it changed. Used by every behaviour and by reconcile.ts.
import type { EpochMs, Intent } from '../vocabulary.ts';
import type { Rule } from './region.ts';

/** Something that the actor waits for: read by `why`, and by the runtime for the next deadline. */
export interface Wait {
  /** When it is reconciled again at the latest; absent: news will come. Absolute. */
  readonly until?: EpochMs;
  /** Sentences for people; asked for only when somebody asks. */
  readonly say?: () => readonly string[];
}

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
