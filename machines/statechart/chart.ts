// Builds the xstate machine of a behaviour and, from the same arrows, what the runtime asks before
// it lets xstate make a step: which guards are open, if any is. Every chart has the same life at
// its top; what is special are the regions of a life that is led, and of one that ends.
import {
  createMachine,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type StateValue,
} from 'xstate';
import type { EpochMs } from '../kubernetes/time.ts';
import { stateIn, type Region, type Rule } from './region.ts';
import type { ActiveStates } from './step.ts';

/** How a behaviour knows the object whose life it leads. */
export interface Own<C, O> {
  /** As last observed; undefined before. */
  readonly of: (context: C) => O | undefined;
  readonly isGone: (context: C) => boolean;
}

export type Regions<C, O> = Readonly<Record<string, Region<C, O>>>;

export interface Regional<C, O> {
  readonly regions?: Regions<C, O>;
}

export interface Life<C, O> {
  readonly active?: Regional<C, O>;
  /** False: the life goes on while the object is being deleted. */
  readonly terminating?: Regional<C, O> | false;
}

/** Guards see the time of the reconcile in its event. */
export interface ReconcileEvent {
  readonly type: 'reconcile';
  readonly now: EpochMs;
}

/** A configuration of the chart: the states that it is in at once. */
export interface Place<C> {
  /** The same for equal values. */
  readonly value: StateValue;
  readonly states: ActiveStates;
  /** Which arrow out of each of these states is the first that is open; undefined: none is. It
   *  alone decides where the next step leads. */
  readonly open: (context: C, now: EpochMs) => string | undefined;
  /** Where the next step leads, by `open`, as far as one was made. The context is nobody's. */
  readonly steps: Map<string, AnyMachineSnapshot>;
  /** The first state that cannot be, by what the context says; undefined where all can. */
  readonly impossible: (context: C, now: EpochMs) => string | undefined;
}

export interface Chart<C> {
  readonly machine: AnyStateMachine;
  /** The same for equal values. */
  readonly placeOf: (value: StateValue) => Place<C>;
  /** The states that the context alone tells, as after a start. */
  readonly restored: (context: C, now: EpochMs) => StateValue;
  /** Dotted names of all states. */
  readonly names: ActiveStates;
}

type Guard<C> = (context: C, now: EpochMs) => boolean;

interface Node<C> {
  readonly arrows: ReadonlyMap<string, Guard<C>>;
  /** Which arrow is the first that is open; -1: none is. */
  readonly open: (context: C, now: EpochMs) => number;
  readonly holds: Guard<C>;
}

const restoring = 'restoring';
const always = (): boolean => true;

export function chartOf<C extends object, O extends { readonly deleting: boolean }>(
  id: string,
  own: Own<C, O>,
  start: (input: never) => C,
  life: Life<C, O>,
): Chart<C> {
  const hasEnd = life.terminating !== false;
  const regionsOf: Readonly<Record<string, Regions<C, O> | undefined>> = {
    active: life.active?.regions,
    terminating: life.terminating === false ? undefined : life.terminating?.regions,
  };
  const nodes = lifeNodes(own, hasEnd);
  const states: Record<string, object> = {};
  for (const [top, one] of [...nodes]) {
    states[top] = { ...xstateOf(one), ...parallel(own, top, regionsOf[top] ?? {}, nodes) };
  }
  const machine = createMachine({
    types: {} as { context: object; events: ReconcileEvent; input: never },
    id,
    context: ({ input }) => start(input),
    initial: 'awaited',
    options: { maxIterations: nodes.size },
    states: { ...states, gone: { type: 'final' } },
  });
  const lifeNow = (context: C): string => {
    const object = own.of(context);
    if (own.isGone(context)) return 'gone';
    if (object === undefined) return 'awaited';
    return hasEnd && object.deleting ? 'terminating' : 'active';
  };
  return {
    machine,
    placeOf: remembering((value) => place(value, nodes)),
    restored: (context, now) => {
      const top = lifeNow(context);
      const regions = regionsOf[top];
      const object = own.of(context);
      if (regions === undefined || object === undefined) return top;
      const inner = Object.entries(regions).map(([name, region]): [string, string] => [
        name,
        stateIn(region, context, object, now),
      ]);
      return inner.length === 0 ? top : { [top]: Object.fromEntries(inner) };
    },
    names: new Set([...nodes.keys(), 'gone']),
  };
}

/** Awaited until the object is seen, then active, terminating once it is being deleted, where that
 *  is a state of its own, gone. */
function lifeNodes<C, O extends { readonly deleting: boolean }>(
  { of, isGone }: Own<C, O>,
  hasEnd: boolean,
): Map<string, Node<C>> {
  const isDeleting = (context: C): boolean => of(context)?.deleting === true;
  const isKnown = (context: C): boolean => of(context) !== undefined;
  const gone: Arrow<C> = ['gone', isGone];
  const end: readonly Arrow<C>[] = hasEnd ? [['terminating', isDeleting]] : [];
  const nodes = new Map([
    ['awaited', node([gone, ...end, ['active', isKnown]], always)],
    ['active', node([gone, ...end], isKnown)],
  ]);
  return hasEnd ? nodes.set('terminating', node([gone], isDeleting)) : nodes;
}

type Arrow<C> = readonly [string, Guard<C>];

function node<C>(
  arrows: readonly Arrow<C>[],
  holds: Guard<C>,
  mayMove: Guard<C> = always,
): Node<C> {
  const first = (context: C, now: EpochMs): number =>
    arrows.findIndex(([, guard]) => guard(context, now));
  const open: typeof first = (context, now) => (mayMove(context, now) ? first(context, now) : -1);
  return { arrows: new Map(arrows), open, holds };
}

/** The regions inside a state, whose nodes are added to all. */
function parallel<C, O>(
  own: Own<C, O>,
  top: string,
  regions: Regions<C, O>,
  nodes: Map<string, Node<C>>,
): object {
  const inner = Object.entries(regions).map(([name, region]): [string, object] => {
    const path = `${top}.${name}`;
    const ofRegion = regionNodes(own, region);
    for (const [state, one] of ofRegion) nodes.set(`${path}.${state}`, one);
    const states = Object.fromEntries(
      [...ofRegion].map(([state, one]): [string, object] => [state, xstateOf(one)]),
    );
    return [name, { initial: [...ofRegion.keys()][0], states }];
  });
  return inner.length === 0 ? {} : { type: 'parallel', states: Object.fromEntries(inner) };
}

function regionNodes<C, O>(own: Own<C, O>, region: Region<C, O>): Map<string, Node<C>> {
  const asGuard =
    (rule: Rule<C, O>): Guard<C> =>
    (context, now) => {
      const object = own.of(context);
      return object !== undefined && rule(context, object, now);
    };
  const standing = lastAnswer<C, string | undefined>((context, now) => {
    const object = own.of(context);
    return object === undefined ? undefined : stateIn(region, context, object, now);
  });
  const is =
    (state: string): Guard<C> =>
    (context, now) =>
      standing(context, now) === state;
  const names = [...region.states.keys()];
  if (region.type === 'classified') {
    return new Map(
      names.map((name) => {
        const others = names.filter((other) => other !== name);
        const isHere = is(name);
        const isElsewhere: Guard<C> = (context, now) => !isHere(context, now);
        return [
          name,
          node(
            others.map((other) => [other, is(other)]),
            always,
            isElsewhere,
          ),
        ];
      }),
    );
  }
  const stages = [...region.states].map(
    ([name, { to = {}, holds = always }]): [string, Node<C>] => [
      name,
      node(
        Object.entries(to).map(([target, rule]) => [target, asGuard(rule)]),
        asGuard(holds),
      ),
    ],
  );
  const start = node(
    names.map((name) => [name, is(name)]),
    () => false,
  );
  return new Map([[restoring, start], ...stages]);
}

/** The guards of a region ask one after the other where the same context stands. */
function lastAnswer<C, R>(ask: (context: C, now: EpochMs) => R): typeof ask {
  let last: { readonly context: C; readonly now: EpochMs; readonly answer: R } | undefined;
  return (context, now) => {
    if (last?.context !== context || last.now !== now) {
      last = { context, now, answer: ask(context, now) };
    }
    return last.answer;
  };
}

/** Of xstate: eventless transitions under the guards of a node. */
function xstateOf<C>(one: Node<C> | undefined): object {
  const arrows = [...(one?.arrows ?? [])].map(([target, guard]) => ({
    target,
    guard: ({ context, event }: { context: C; event: ReconcileEvent }): boolean =>
      event.type === 'reconcile' && guard(context, event.now),
  }));
  return arrows.length === 0 ? {} : { always: arrows };
}

function place<C>(value: StateValue, nodes: ReadonlyMap<string, Node<C>>): Place<C> {
  const states = namesIn(value);
  const here = states.flatMap((name): [string, Node<C>][] => {
    const one = nodes.get(name);
    return one === undefined ? [] : [[name, one]];
  });
  return {
    value,
    states: new Set(states),
    open: (context, now) => {
      const first = here.map(([, one]) => one.open(context, now));
      return first.some((arrow) => arrow >= 0) ? first.join() : undefined;
    },
    steps: new Map(),
    impossible: (context, now) => here.find(([, one]) => !one.holds(context, now))?.[0],
  };
}

function namesIn(value: StateValue, path = ''): readonly string[] {
  if (typeof value === 'string') return [`${path}${value}`];
  return Object.entries(value).flatMap(([name, inner]) => [
    `${path}${name}`,
    ...(inner === undefined ? [] : namesIn(inner, `${path}${name}.`)),
  ]);
}

/** xstate keeps the value of a chart that stays where it is. */
function remembering<R>(make: (value: StateValue) => R): (value: StateValue) => R {
  const byText = new Map<string, R>();
  const byObject = new WeakMap<object, R>();
  return (value) => {
    const known = typeof value === 'string' ? byText.get(value) : byObject.get(value);
    if (known !== undefined) return known;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const made = byText.get(text) ?? make(value);
    byText.set(text, made);
    if (typeof value !== 'string') byObject.set(value, made);
    return made;
  };
}
