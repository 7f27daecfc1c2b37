// How every machine plans: phases in order, each seeing the choices of those before, and one settle
// that lets the intents out and keeps the choices. Used by the plan.ts and machine.ts of each kind.
import type { CommonEvent, EpochMs, Intent } from './vocabulary.ts';

/** What a phase, or a whole plan, returns: acts, and what must be remembered of them. */
export interface StepOf<C> {
  readonly intents: readonly Intent[];
  readonly changes: Partial<C>;
}

/** Nothing to do and nothing to remember. */
export const idle = { intents: [], changes: {} } as const;

/** `own`: the fact of the machine's own object. */
export type PhaseOf<C, F> = (context: C, own: F, now: EpochMs) => StepOf<C>;

/** Intents in order, and all that the context must remember. */
export function runPhases<C extends object, F>(
  order: readonly PhaseOf<C, F>[],
  context: C,
  own: F,
  now: EpochMs,
): StepOf<C> {
  const intents: Intent[] = [];
  const changes: Partial<C> = {};
  let seen = context;
  for (const phase of order) {
    const step = phase(seen, own, now);
    intents.push(...step.intents);
    // Most phases of most plans remember nothing.
    if (Object.keys(step.changes).length === 0) continue;
    Object.assign(changes, step.changes);
    seen = { ...seen, ...step.changes };
  }
  return { intents, changes };
}

/** What xstate hands to an enqueued action, as far as a settle needs it. */
interface Settling<C> {
  readonly context: C;
  readonly event: CommonEvent | { readonly type: string };
  readonly enqueue: ((action: { type: 'intend'; params: Intent }) => void) & {
    assign(changes: Partial<C>): void;
  };
}

type Settle = Extract<CommonEvent, { type: 'settle' }>;
export const isSettle = (event: { readonly type: string }): event is Settle =>
  event.type === 'settle';

/** The action of a settle, for `enqueueActions`: the plan's intents go out, its choices stay. */
export const settleBy =
  <C extends object>(plan: (context: C, now: EpochMs) => StepOf<C>) =>
  ({ context, event, enqueue }: Settling<C>): void => {
    if (!isSettle(event)) return;
    const { intents, changes } = plan(context, event.now);
    if (Object.keys(changes).length > 0) enqueue.assign(changes);
    for (const intent of intents) enqueue({ type: 'intend', params: intent });
  };
