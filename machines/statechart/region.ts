// The two kinds of region that a chart has, as a behaviour writes them down. A classified region
// says where things stand, by the context alone; a protocol says how far a procedure has come, and
// has arrows of its own. Compiled into an xstate machine by chart.ts.
import type { EpochMs } from '../kubernetes/time.ts';

/** `own`: the object whose life the actor leads, as last observed. Pure. */
export type Rule<C, O, R = boolean> = (context: C, own: O, now: EpochMs) => R;

/**
 * Any state may follow any other: the first whose rule holds is the one. So its state after any
 * history is the state of a fresh start, and a restart needs nothing restored.
 */
export interface Classified<C, O> {
  readonly type: 'classified';
  readonly states: ReadonlyMap<string, Rule<C, O>>;
}

/** A state of a protocol. */
export interface Stage<C, O> {
  /** Guards by the state that the arrow leads to, in order; none: it ends here. */
  readonly to?: Readonly<Record<string, Rule<C, O>>>;
  /** What is true as long as it is in this state; absent: nothing need be. */
  readonly holds?: Rule<C, O>;
}

/** A procedure. After a start, and where its state cannot be, `restore` tells it from the
 *  object. */
export interface Protocol<C, O> {
  readonly type: 'protocol';
  readonly states: ReadonlyMap<string, Stage<C, O>>;
  readonly restore: Rule<C, O, string>;
}

export type Region<C, O> = Classified<C, O> | Protocol<C, O>;

/** The rule of the last state of a classified region: what no other state is. */
export const otherwise = (): boolean => true;

export function classified<C, O>(states: Readonly<Record<string, Rule<C, O>>>): Classified<C, O> {
  const rules = Object.entries(states);
  if (rules.at(-1)?.[1] !== otherwise) throw new Error('the last state needs the rule `otherwise`');
  return { type: 'classified', states: new Map(rules) };
}

export const protocol = <C, O>(
  states: Readonly<Record<string, Stage<C, O>>>,
  { restore }: { readonly restore: Rule<C, O, string> },
): Protocol<C, O> => ({ type: 'protocol', states: new Map(Object.entries(states)), restore });

/** Where a region stands by the context alone. */
export function stateIn<C, O>(region: Region<C, O>, context: C, object: O, now: EpochMs): string {
  if (region.type === 'protocol') return region.restore(context, object, now);
  for (const [name, rule] of region.states) if (rule(context, object, now)) return name;
  return '';
}
