// A behaviour is written down once: what is known of its object, what may come, the chart, the
// steps of its states in one order, and what people are told of each. From that the runtime, plain
// xstate, the docs and the tests get what they need.
import type { ActorLogic, AnyActorScope, AnyMachineSnapshot } from 'xstate';
import type { ActorKey } from '../contract/address.ts';
import type { ActorInput, Behaviour, Reconciled, RowArrow } from '../contract/behaviour.ts';
import type { ConditionReason } from '../contract/condition-reasons.ts';
import type { Intent, WriteStatus } from '../contract/intents.ts';
import type { ActorKind } from '../contract/kind.ts';
import { objectKind } from '../contract/kinds.ts';
import { maxListed } from '../contract/limits.ts';
import { isOfBehaviour, questionName, type Question } from '../contract/question.ts';
import { readyType } from '../contract/supervision.ts';
import type { Reading } from '../contract/view.ts';
import type { Condition } from '../kubernetes/conditions.ts';
import type { JsonObject } from '../kubernetes/objects.ts';
import type { EpochMs } from '../kubernetes/time.ts';
import { chartOf, type Chart, type Life, type Own, type ReconcileEvent } from './chart.ts';
import { reconcileBy, slim } from './reconcile.ts';
import type { Rule } from './region.ts';
import type { ActiveStates, StepIn, StepResult } from './step.ts';

/** What a condition says in one state of a region; `type` is the key of the table. */
interface ConditionRow<C, O> {
  readonly status: Condition['status'];
  readonly reason: ConditionReason;
  readonly message: Rule<C, O, string>;
}

/** By state of the region; nothing is said where the row is absent or undefined. */
export interface ConditionRows<C, O> {
  readonly region: string;
  readonly rows: Readonly<Record<string, ConditionRow<C, O> | undefined>>;
}

/** Regions of a row with their states. */
type RowRegions = Readonly<Record<string, { readonly states: ReadonlyMap<string, unknown> }>>;

interface Rows {
  readonly regions: RowRegions;
  /** Of rows whose only region has arrows of its own. */
  readonly arrows?: readonly RowArrow[];
}

/** Events come by routes and views: `reduce` lets be what it does not know. */
interface Reducer<C> {
  reduce(context: C, event: { readonly type: string }): C;
}

/** What has no comment here is as in `Behaviour`. */
export interface Definition<C, O, E> extends Pick<Behaviour, 'kind' | 'controller' | 'saysAll'> {
  readonly own: Own<C, O>;
  /** The next context; the same one where the event is no news. Never steps the chart. */
  reduce(context: C, event: E): C;
  /** What it reads once its object was seen. Pure, and cheap: asked at each reconcile. */
  readonly reads?: (context: C, own: O) => readonly Reading[];
  readonly chart: Life<C, O>;
  readonly steps: readonly StepIn<C, O>[];
  /** The one step before the object itself was seen. */
  readonly whileAwaited?: (context: C) => StepResult<C>;
  /** Charts of rows, such as replicas, by what a row is called. */
  readonly rows?: Readonly<Record<string, Rows>>;
  /** Conditions that follow from the states of regions of `active`, by type. */
  readonly conditions?: Readonly<Record<string, ConditionRows<C, O>>>;
  /** The whole status of an object that lives, with these conditions; undefined: nothing to say. */
  readonly status: (
    context: C,
    own: O,
    conditions: readonly Condition[],
    now: EpochMs,
  ) => WriteStatus | undefined;
  readonly requiredStatus?: JsonObject;
  /** Why the object is not as it should be, by state, in this order; what is waited for follows. */
  readonly explain: Readonly<Record<string, Rule<C, O, readonly string[]>>>;
  /** Said where nothing else is. */
  readonly fine: Rule<C, O, string>;
  readonly view: (context: C) => JsonObject;
  /** Nothing is known that would need an actor before the object itself is seen. */
  readonly hasNothing: (context: C) => boolean;
  /** See `Behaviour`. */
  readonly isHeld?: (context: C) => boolean;
  /** See `Behaviour`. */
  readonly yields?: (context: C, own: O) => boolean;
  readonly questions?: Readonly<Record<string, Question>>;
}

/** `I` is a `ConfiguredInput` where the module has settings. */
interface Starting<C, I extends ActorInput> {
  readonly start: (input: I) => C;
}

export function defineBehaviour<
  C extends { readonly key: ActorKey },
  O extends { readonly deleting: boolean },
  E extends { readonly type: string },
  I extends ActorInput = ActorInput,
>(definition: Definition<C, O, E> & Starting<C, I>): Behaviour<I> {
  const { kind, controller, own, start, steps, hasNothing, isHeld, reads, yields } = definition;
  const reducer: Reducer<C> = definition;
  const ofLiving = <R>({ status, context }: AnyMachineSnapshot, ask: (context: C, own: O) => R) => {
    const object = status === 'active' ? own.of(context) : undefined;
    return object === undefined ? undefined : ask(context, object);
  };
  const chart = chartOf(kind, own, start, definition.chart);
  checkNames(definition, chart.names);
  checkQuestions(kind, definition.questions ?? {});
  const conditionsIn = conditionsOf(definition);
  const reconcile = reconcileBy<C, O>({
    kind,
    chart,
    ownOf: own.of,
    steps,
    whileAwaited: definition.whileAwaited,
    status: (states, context, object, now) =>
      states.has('active')
        ? definition.status(context, object, conditionsIn(states, context, object, now), now)
        : undefined,
  });
  return {
    kind,
    controller,
    machine: chart.machine,
    uses: usesOf(definition, chart.names),
    rows: rowsOf(definition),
    rowArrows: new Map(
      Object.entries(definition.rows ?? {}).map(([name, { arrows = [] }]) => [name, arrows]),
    ),
    requiredStatus: definition.requiredStatus ?? {},
    hasReady: readyType in (definition.conditions ?? {}),
    ...(definition.saysAll && { saysAll: true }),
    start: (input) =>
      slim(chart, chart.machine.resolveState({ value: 'awaited', context: start(input) })),
    reduce: (snapshot, event) => {
      if (snapshot.status !== 'active') return snapshot;
      const before: C = snapshot.context;
      const context = reducer.reduce(before, event);
      return context === before ? snapshot : { ...snapshot, context };
    },
    reads: (snapshot) => (reads && ofLiving(snapshot, reads)) ?? noReadings,
    reconcile,
    questions: new Map(Object.entries(definition.questions ?? {})),
    isOver: ({ status, context }) =>
      status !== 'active' ||
      own.isGone(context) ||
      (own.of(context) === undefined && hasNothing(context)),
    ...(isHeld && { isHeld: ({ context }) => isHeld(context) }),
    ...(yields && { yields: (snapshot) => ofLiving(snapshot, yields) ?? false }),
    why: (snapshot, now) => whyOf(definition, chart, reconcile(snapshot, now, lenient), now),
    view: ({ context }) => definition.view(context),
  };
}

const noReadings: readonly Reading[] = [];

/** The runtime hears of it at the next reconcile. */
const lenient = { impossible: () => {} };

/** Of a reconcile of which nothing is kept, so that nothing has to be remembered for it. */
function whyOf<C extends { readonly key: ActorKey }, O, E>(
  { kind, own, explain, fine }: Definition<C, O, E>,
  { placeOf }: Chart<C>,
  { snapshot, waits }: Reconciled,
  now: EpochMs,
): readonly string[] {
  const context: C = snapshot.context;
  const object = own.of(context);
  if (snapshot.status !== 'active') return [`${objectKind(kind)} ${context.key.name} is gone`];
  if (object === undefined) return [`${objectKind(kind)} ${context.key.name} was not seen yet`];
  const { states } = placeOf(snapshot.value);
  const reasons = Object.entries(explain)
    .filter(([name]) => states.has(name))
    .flatMap(([, rule]) => rule(context, object, now));
  for (const { say } of waits) reasons.push(...(say?.() ?? []));
  if (reasons.length > maxListed) {
    const listed = reasons.slice(0, maxListed - 1);
    return [...listed, `and ${reasons.length - listed.length} more reasons`];
  }
  return reasons.length > 0 ? reasons : [fine(context, object, now)];
}

/** By the table of a behaviour, which is read once: a status is asked for at every reconcile. */
function conditionsOf<C, O, E>({
  conditions = {},
}: Definition<C, O, E>): (
  states: ActiveStates,
  context: C,
  own: O,
  now: EpochMs,
) => readonly Condition[] {
  const table = Object.entries(conditions).flatMap(([type, { region, rows }]) =>
    Object.entries(rows).flatMap(([state, row]) =>
      row === undefined ? [] : [{ in: `active.${region}.${state}`, type, row }],
    ),
  );
  return (states, context, own, now) =>
    table
      .filter((entry) => states.has(entry.in))
      .map(({ type, row: { status, reason, message } }) => ({
        type,
        status,
        reason,
        message: message(context, own, now),
      }));
}

/** By dotted name, of every state. */
function usesOf<C, O, E>(
  { steps, explain, conditions = {} }: Definition<C, O, E>,
  names: ActiveStates,
): ReadonlyMap<string, readonly string[]> {
  const uses = new Map<string, string[]>([...names].map((name) => [name, []]));
  uses.get('awaited')?.push('explanation: not observed yet');
  uses.get('gone')?.push('the actor ends');
  for (const step of steps) {
    for (const name of step.in) uses.get(name)?.push(`step ${step.do.name}`);
  }
  for (const [type, { region, rows }] of Object.entries(conditions)) {
    for (const [state, row] of Object.entries(rows)) {
      const text =
        row === undefined
          ? `no condition ${type}`
          : `condition ${type} ${row.status}, ${row.reason}`;
      uses.get(`active.${region}.${state}`)?.push(text);
    }
  }
  for (const name of Object.keys(explain)) uses.get(name)?.push('explanation');
  return uses;
}

function rowsOf<C, O, E>({ rows = {} }: Definition<C, O, E>): Behaviour['rows'] {
  const statesOf = (regions: RowRegions) =>
    Object.entries(regions).map(([name, { states }]) => [name, [...states.keys()]] as const);
  return new Map(
    Object.entries(rows).map(([name, { regions }]) => [name, new Map(statesOf(regions))]),
  );
}

/** One that every actor answers, or that no subject can hold, would never arrive. */
function checkQuestions(kind: ActorKind, questions: Readonly<Record<string, Question>>): void {
  const wrong = Object.keys(questions).filter(
    (name) => !questionName.test(name) || !isOfBehaviour(name),
  );
  if (wrong.length > 0) throw new Error(`${kind} cannot have the questions ${wrong.join(', ')}`);
}

/** A name that no state has would be a step that never runs. */
function checkNames<C, O, E>(
  { kind, steps, explain, conditions = {} }: Definition<C, O, E>,
  names: ActiveStates,
): void {
  const used = [
    ...steps.flatMap((step) => step.in),
    ...Object.keys(explain),
    ...Object.values(conditions).flatMap(({ region, rows }) =>
      Object.keys(rows).map((state) => `active.${region}.${state}`),
    ),
  ];
  if (steps.some((step) => step.do.name === ''))
    throw new Error(`${kind} has a step without a name`);
  const unknown = used.filter((name) => !names.has(name));
  if (unknown.length > 0) throw new Error(`${kind} has no states ${unknown.join(', ')}`);
}

/** What such an actor emits: each intent, in order. */
interface Intended {
  readonly type: 'intended';
  readonly intent: Intent;
}

type LogicEvent = ReconcileEvent | { readonly type: string };

export type BehaviourLogic<I extends ActorInput> = ActorLogic<
  AnyMachineSnapshot,
  LogicEvent,
  I,
  AnyActorScope['system'],
  Intended
>;

const isReconcile = (event: LogicEvent): event is ReconcileEvent => event.type === 'reconcile';

/**
 * A behaviour as actor logic: it runs in plain xstate, alone, and xstate's inspection sees its
 * events, microsteps and snapshots. The runtime takes the same steps on snapshots that it keeps as
 * data.
 */
export const logicOf = <I extends ActorInput>(behaviour: Behaviour<I>): BehaviourLogic<I> => ({
  getInitialSnapshot: (_scope, input) => behaviour.start(input),
  transition: (snapshot, event, scope) => {
    if (!isReconcile(event)) return behaviour.reduce(snapshot, event);
    const { snapshot: next, intents } = behaviour.reconcile(snapshot, event.now, { scope });
    for (const intent of intents) scope.emit({ type: 'intended', intent });
    return next;
  },
  getPersistedSnapshot: (snapshot) => snapshot,
});
