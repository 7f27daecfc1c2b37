// One reconcile of a behaviour: the chart comes to rest, the steps of its states run, the chart
// moves again where what one changed opened a guard, and the status follows. xstate makes every
// move the first time; where no guard is open it is not asked. Pure.
import { createActor, type AnyActorScope, type AnyMachineSnapshot, type Snapshot } from 'xstate';
import type { Reconciled, ReconcileOptions, Wait } from '../contract/behaviour.ts';
import { CoppiceError } from '../contract/errors.ts';
import type { Intent, WriteStatus } from '../contract/intents.ts';
import type { EpochMs } from '../kubernetes/time.ts';
import type { Chart } from './chart.ts';
import type { ActiveStates, StepIn, StepResult } from './step.ts';

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
    let isMoved = true;
    const move: Move = (snapshot) => {
      const next = rest(snapshot, now, options);
      isMoved ||= next.value !== snapshot.value;
      return next;
    };
    let at = move(before);
    while (isMoved && at.status === 'active') {
      isMoved = false;
      at = runSteps(parts, run, at, now, move);
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

/** To rest. */
type Move = (snapshot: AnyMachineSnapshot) => AnyMachineSnapshot;

interface Run {
  readonly intents: Intent[];
  readonly waits: Wait[];
  /** Steps that ran in this reconcile: none runs twice, so it ends. */
  readonly done: Set<object>;
}

/**
 * The steps of the states that the chart is in, less those that ran. After each that changed
 * something the chart moves, so that no step runs in a state that is left already.
 */
function runSteps<C extends object, O>(
  { chart, ownOf, steps, whileAwaited }: Parts<C, O>,
  run: Run,
  before: AnyMachineSnapshot,
  now: EpochMs,
  move: Move,
): AnyMachineSnapshot {
  let at = before;
  const take = ({ intents, waits, changes }: StepResult<C>): void => {
    run.intents.push(...intents);
    if (waits !== undefined) run.waits.push(...waits);
    // Most steps of most reconciles remember nothing.
    if (Object.keys(changes).length > 0) {
      at = move({ ...at, context: { ...at.context, ...changes } });
    }
  };
  if (ownOf(at.context) === undefined) {
    if (whileAwaited !== undefined) take(whileAwaited(at.context));
    return at;
  }
  for (const step of steps) {
    const own = ownOf(at.context);
    const { states } = chart.placeOf(at.value);
    if (own === undefined || run.done.has(step.do)) continue;
    if (!step.in.some((name) => states.has(name))) continue;
    run.done.add(step.do);
    take(step.do(at.context, own, now));
  }
  return at;
}

/** The chart where no guard is open, moved by xstate where one was. */
function resting<C extends object, O>({ chart, kind }: Parts<C, O>) {
  return (
    before: AnyMachineSnapshot,
    now: EpochMs,
    { scope, impossible }: ReconcileOptions,
  ): AnyMachineSnapshot => {
    if (before.status !== 'active') return before;
    const at = moved(chart, before, now, scope);
    if (at.status !== 'active') return at;
    const wrong = chart.placeOf(at.value).impossible(at.context, now);
    if (wrong === undefined) return at;
    const what = `${kind} cannot be ${wrong}`;
    if (impossible === undefined) throw new CoppiceError('ASSERTION', what);
    impossible(what);
    const value = chart.restored(at.context, now);
    return slim(chart, chart.machine.resolveState({ value, context: at.context }));
  };
}

/** The same snapshot where no guard is open. Whoever has a scope looks on, and is shown each step
 *  as xstate makes it. */
function moved<C>(
  chart: Chart<C>,
  before: AnyMachineSnapshot,
  now: EpochMs,
  scope: AnyActorScope | undefined,
): AnyMachineSnapshot {
  if (scope === undefined) return stepped(chart, before, now);
  if (chart.placeOf(before.value).open(before.context, now) === undefined) return before;
  return slim(chart, chart.machine.transition(before, { type: 'reconcile', now }, scope));
}

/** Step by step, each made by xstate the first time: its charts have no actions, so the arrows that
 *  are open tell where a step leads, and the actors of a kind go the same ways again and again. */
function stepped<C>(chart: Chart<C>, before: AnyMachineSnapshot, now: EpochMs): AnyMachineSnapshot {
  const context: C = before.context;
  const event = { type: 'reconcile', now };
  let at = before;
  for (let count = 0; at.status === 'active'; count++) {
    const { open, steps } = chart.placeOf(at.value);
    const arrows = open(context, now);
    if (arrows === undefined) break;
    // Steps that were made apart may be a circle: xstate throws where a chart never rests.
    if (count > chart.names.size) return chart.machine.transition(before, event, inertScope());
    let known = steps.get(arrows);
    if (known === undefined) {
      const [, next] = chart.machine.microstep({ ...at, context }, event, inertScope());
      if (next === undefined) throw new CoppiceError('ASSERTION', 'xstate rests at an open guard');
      known = slim(chart, { ...next, context: undefined });
      steps.set(arrows, known);
    }
    at = known;
  }
  return at === before ? before : { ...at, context };
}

const noTags = new Set<string>();

/** There are very many snapshots, and xstate makes a value and a Set of tags for each: equal values
 *  are one, and tags there are none. */
export const slim = <C>(chart: Chart<C>, snapshot: AnyMachineSnapshot): AnyMachineSnapshot => ({
  ...snapshot,
  value: chart.placeOf(snapshot.value).value,
  tags: noTags,
});

let inert: AnyActorScope | undefined;

/** xstate hands a scope to each step. Ours have no actions, so it is one that does nothing.
 *  Exported for tests. */
export function inertScope(): AnyActorScope {
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
