// How a parent takes news of its children into what it knows. Used by the reduce.ts of whoever has
// a table of children.
import type { ObjectRef } from '../../contract/address.ts';
import type { Kind } from '../../contract/kind.ts';
import { struck } from '../failure-log.ts';
import type { ErrorBook } from '../failure-log.ts';
import { set as place } from './radix.ts';
import { replicaAt, touch } from './replicas.ts';
import type { ReplicaBook } from './replicas.ts';
import type { ChildFact, ChildTable, ChildType, FactsByKind, Family, Slots } from './type.ts';

/** `gone`: what is left of an object that is gone. */
export type ChildEvent<F extends ChildFact = ChildFact> =
  | { readonly type: 'child.observed'; readonly fact: F }
  | {
      readonly type: 'child.gone';
      readonly kind: Kind;
      readonly name: string;
      readonly uid: string;
    };

export const kindOf = (event: ChildEvent): Kind =>
  event.type === 'child.observed' ? event.fact.kind : event.kind;

export const nameOf = (event: ChildEvent): string =>
  event.type === 'child.observed' ? event.fact.name : event.name;

/** Whether the table has a row for the kind. */
export const hasRow = <Facts extends FactsByKind<Facts>>(
  table: ChildTable<Facts, never>,
  kind: Kind,
): kind is keyof Facts & Kind => Object.hasOwn(table, kind);

interface Taken<Facts> {
  readonly family: Family<Facts>;
  /** False: only the version was taken note of, no plan is asked for. */
  readonly isNews: boolean;
}

/** Undefined where nothing has changed. */
export function taken<Facts extends FactsByKind<Facts>>(
  table: ChildTable<Facts, never>,
  kind: keyof Facts & Kind,
  { family, slot }: { readonly family: Family<Facts>; readonly slot: string },
  event: ChildEvent,
): Taken<Facts> | undefined {
  const type: ChildType<ChildFact, never> = table[kind];
  const there: Slots<ChildFact> = family[kind];
  const old = there.get(slot);
  if (event.type === 'child.gone') {
    if (old?.uid !== event.uid) return undefined;
    const rest = new Map([...there].filter(([key]) => key !== slot));
    return { family: { ...family, [kind]: rest }, isNews: true };
  }
  const { fact } = event;
  const isNews = type.hasChanged(old, fact);
  const isNewer = type.keepsVersion === true && old?.resourceVersion !== fact.resourceVersion;
  if (!isNews && !isNewer) return undefined;
  return { family: { ...family, [kind]: new Map(there).set(slot, fact) }, isNews };
}

/** A child that shows up was created, one that is gone cannot fail any more. */
export const withoutErrorsOf = (
  errors: ErrorBook,
  event: ChildEvent,
  namespace: string,
): ErrorBook =>
  errors.length === 0
    ? errors
    : struck(
        errors,
        { kind: kindOf(event), namespace, name: nameOf(event) },
        event.type === 'child.observed' ? 'create' : undefined,
      );

/** The context with what happened to a child of a replica; the same one where nothing changed. */
export function withChildOf<Facts extends FactsByKind<Facts>, Context>(
  table: ChildTable<Facts, never>,
  context: Context & ReplicaBook<Facts>,
  parent: string,
  event: ChildEvent,
): Context {
  const kind = kindOf(event);
  if (!hasRow(table, kind)) return context;
  const { replica: index, slot } = table[kind].place(parent, nameOf(event)) ?? {};
  if (index === undefined || slot === undefined) return context;
  const before = replicaAt(context, index);
  const now = taken(table, kind, { family: before.children, slot }, event);
  if (now === undefined) return context;
  const after = { ...before, children: now.family };
  if (now.isNews) return touch(context, index, () => after);
  return { ...context, replicas: place(context.replicas, index, after) };
}

/** The child of a replica that a write was about, if it is known. */
export function childOf<Facts extends FactsByKind<Facts>>(
  table: ChildTable<Facts, never>,
  book: ReplicaBook<Facts>,
  parent: string,
  { kind, name }: ObjectRef,
): ChildFact | undefined {
  if (!hasRow(table, kind)) return undefined;
  const { replica: index, slot } = table[kind].place(parent, name) ?? {};
  if (index === undefined || slot === undefined) return undefined;
  const there: Slots<ChildFact> = replicaAt(book, index).children[kind];
  return there.get(slot);
}
