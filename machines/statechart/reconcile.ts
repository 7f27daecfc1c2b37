// One reconcile of a behaviour: the chart comes to rest, the steps of its states run, the chart
// moves again where what they changed opened a guard, and the status follows. xstate makes every
// move; where no guard is open it is not asked. Pure.
import { createActor } from 'xstate';
import type { AnyActorScope, AnyMachineSnapshot, Snapshot } from 'xstate';
import { CoppiceError } from '../errors.ts';
import type { EpochMs, Intent, WriteStatus } from '../vocabulary.ts';
import type { Chart } from './chart.ts';
import type { ActiveStates, StepIn, StepResult, Wait } from './step.ts';

export interface Reconciled {
  readonly snapshot: AnyMachineSnapshot;
  /** In order; carried out by the runtime. */
  readonly intents: readonly Intent[];
  readonly waits: readonly Wait[];
}

export interface ReconcileOptions {
  /** Who carries out xstate's side of a move; absent: nobody, which loses nothing. */
  readonly scope?: AnyActorScope;
  /** Hears of a state that cannot be; the chart is restored then. Absent: it throws ASSERTION. */
  readonly impossible?: (what: string) => void;
}

export interface Parts<C, O> {
  readonly kind: string;
  readonly chart: Chart<C>;
  readonly ownOf: (context: C) => O | undefined;
  readonly steps: readonly StepIn<C, O>[];
  readonly whileAwaited: ((context: C) => StepResult<C>) | undefined;
  /** Of these states. */
  readonly status: (
    states: ActiveStates,
    context: C,
    own: O,
    now: EpochMs,
  ) => WriteStatus | undefined;
}

export function reconcileBy<C extends object, O>(parts: Parts<C, O>) {
  const rest = resting(parts);
  return (before: AnyMachineSnapshot, now: EpochMs, options: ReconcileOptions = {}): Reconciled => {
    const run: Run = { intents: [], waits: [], done: new Set() };
    let at = rest(before, now, options);
    for (;;) {
      if (at.status !== 'active') break;
      const context: C = runSteps(parts, run, at, now);
      if (context === at.context) break;
      const moved = rest({ ...at, context }, now, options);
      const isSame = moved.value === at.value;
      at = moved;
      if (isSame) break;
    }
    const context: C = at.context;
    const own = parts.ownOf(context);
    if (own !== undefined && at.status === 'active') {
      const status = parts.status(parts.chart.placeOf(at.value).states, context, own, now);
      if (status !== undefined) run.intents.push(status);
    }
    return { snapshot: at, intents: run.intents, waits: run.waits };
  };
}

interface Run {
  readonly intents: Intent[];
  readonly waits: Wait[];
  /** Steps that ran in this reconcile: none runs twice. */
  readonly done: Set<object>;
}

/** The steps of the states that the chart is in, less those that ran; the context that they
 *  leave. */
function runSteps<C extends object, O>(
  { chart, ownOf, steps, whileAwaited }: Parts<C, O>,
  run: Run,
  at: AnyMachineSnapshot,
  now: EpochMs,
): C {
  let context: C = at.context;
  const own = ownOf(context);
  if (own === undefined) {
    if (whileAwaited !== undefined && !run.done.has(whileAwaited)) {
      run.done.add(whileAwaited);
      context = after(run, context, whileAwaited(context));
    }
    return context;
  }
  const { states } = chart.placeOf(at.value);
  for (const step of steps) {
    if (run.done.has(step.do) || !step.in.some((name) => states.has(name))) continue;
    run.done.add(step.do);
    context = after(run, context, step.do(context, own, now));
  }
  return context;
}

function after<C extends object>(run: Run, context: C, step: StepResult<C>): C {
  run.intents.push(...step.intents);
  if (step.waits !== undefined) run.waits.push(...step.waits);
  // Most steps of most reconciles remember nothing.
  return Object.keys(step.changes).length === 0 ? context : { ...context, ...step.changes };
}

/** The chart where no guard is open, moved by xstate where one was. */
function resting<C extends object, O>({ chart, kind }: Parts<C, O>) {
  return (
    before: AnyMachineSnapshot,
    now: EpochMs,
    { scope = inertScope(), impossible }: ReconcileOptions,
  ): AnyMachineSnapshot => {
    if (before.status !== 'active') return before;
    const isMoved = chart.placeOf(before.value).isMoved(before.context, now);
    const at = isMoved
      ? chart.machine.transition(before, { type: 'reconcile', now }, scope)
      : before;
    if (at.status !== 'active') return at;
    const wrong = chart.placeOf(at.value).impossible(at.context, now);
    if (wrong === undefined) return at;
    const what = `${kind} cannot be ${wrong}`;
    if (impossible === undefined) throw new CoppiceError('ASSERTION', what);
    impossible(what);
    const value = chart.restored(at.context, now);
    return chart.machine.resolveState({ value, context: at.context });
  };
}

let inert: AnyActorScope | undefined;

/** xstate hands a scope to each step. Ours have no actions, so it is one that does nothing. */
function inertScope(): AnyActorScope {
  if (inert !== undefined) return inert;
  const empty: Snapshot<undefined> = { status: 'active', output: undefined, error: undefined };
  const scopes: AnyActorScope[] = [];
  createActor({
    getInitialSnapshot: (scope) => {
      scopes.push(scope);
      return empty;
    },
    transition: () => empty,
    getPersistedSnapshot: () => empty,
  });
  const [scope] = scopes;
  if (scope === undefined) throw new CoppiceError('ASSERTION', 'xstate gave no scope');
  inert = { ...scope, defer: () => {}, emit: () => {}, stopChild: () => {} };
  return inert;
}
