// Internal transitions: a step that leaves the chart in the state it is in changes the context and
// expresses intents, and needs no chart. Nine of ten steps are such: facts that come in, and plans.
// Only when the step would move the chart does xstate make it. Used by the machine.ts of each kind
// and by the cells of the runtime; decision 0014.
import { isSettle } from './phases.ts';
import type { StepOf } from './phases.ts';
import type { EpochMs, Intent } from './vocabulary.ts';

/** What an internal transition comes to. */
export interface Internal<C> {
  /** The one from before where the event is no news. */
  readonly context: C;
  readonly intents: readonly Intent[];
}

interface Parts<C, E extends { readonly type: string }> {
  /** Type of the event by which the life may end: the chart takes it. */
  readonly end: E['type'];
  readonly absorb: (context: C, event: E) => C;
  readonly plan: (context: C, now: EpochMs) => StepOf<C>;
  /** Whether any guard of the chart may say something else than before. */
  readonly isMoved: (before: C, after: C) => boolean;
}

const none: readonly Intent[] = [];

export interface Steps<C, E> {
  /** As they were given, with the last answer kept, for the chart: it asks in a guard and acts by
   *  the same answer, and takes over what `internal` came to. */
  readonly absorb: (context: C, event: E) => C;
  readonly plan: (context: C, now: EpochMs) => StepOf<C>;
  /** The step without the chart; undefined where the chart has to make it. */
  readonly internal: (context: C, event: E) => Internal<C> | undefined;
}

export function stepsBy<C extends object, E extends { readonly type: string }>({
  end,
  isMoved,
  ...parts
}: Parts<C, E>): Steps<C, E> {
  const absorb = lately(parts.absorb);
  const plan = lately(parts.plan);
  const internal: Steps<C, E>['internal'] = (context, event) => {
    if (event.type === end) return undefined;
    if (!isSettle(event)) {
      const next = absorb(context, event);
      return isMoved(context, next) ? undefined : { context: next, intents: none };
    }
    const { intents, changes } = plan(context, event.now);
    const next = Object.keys(changes).length === 0 ? context : { ...context, ...changes };
    return isMoved(context, next) ? undefined : { context: next, intents };
  };
  return { absorb, plan, internal };
}

/**
 * The function, which must be pure, with its last answer kept: asked the same again at once, as by
 * a guard and by the action behind it, it does not think twice.
 */
function lately<A extends object, B, R>(ask: (a: A, b: B) => R): (a: A, b: B) => R {
  let last: { readonly a: A; readonly b: B; readonly answer: R } | undefined;
  return (a, b) => {
    if (last?.a === a && last.b === b) return last.answer;
    const answer = ask(a, b);
    last = { a, b, answer };
    return answer;
  };
}
