// How a parent takes news of its children into what it knows. Used by the reduce.ts of whoever has
// a table of children.
import { struck } from '../errorbook.ts';
import type { ErrorBook } from '../errorbook.ts';
import { indexOfClaim } from '../claims/names.ts';
import type { Kind } from '../kinds.ts';
import type { ObjectRef } from '../objects.ts';
import { get, set as place } from '../radix.ts';
import { touched } from './replicas.ts';
import type { Replica, ReplicaBook } from './replicas.ts';
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

/** The replica that an object belongs to, by its name. */
export const replicaOf = <Facts extends FactsByKind<Facts>>(
  table: ChildTable<Facts, never>,
  parent: string,
  { kind, name }: ObjectRef,
): number | undefined => {
  if (kind === 'ResourceClaim') return indexOfClaim(parent, name);
  return hasRow(table, kind) ? table[kind].place(parent, name)?.replica : undefined;
};

interface Home<Facts> {
  readonly parent: string;
  readonly unseen: Replica<Facts>;
}

/** The replicas with what happened to a child of one; undefined where nothing has changed. */
export function withChildOf<Facts extends FactsByKind<Facts>>(
  table: ChildTable<Facts, never>,
  book: ReplicaBook<Facts>,
  { parent, unseen }: Home<Facts>,
  event: ChildEvent,
): Pick<ReplicaBook<Facts>, 'replicas' | 'touched'> | undefined {
  const kind = kindOf(event);
  if (!hasRow(table, kind)) return undefined;
  const { replica: index, slot } = table[kind].place(parent, nameOf(event)) ?? {};
  if (index === undefined || slot === undefined) return undefined;
  const before = get(book.replicas, index) ?? unseen;
  const now = taken(table, kind, { family: before.children, slot }, event);
  if (now === undefined) return undefined;
  const after = { ...before, children: now.family };
  if (now.isNews) return touched(book, index, before, after);
  return { replicas: place(book.replicas, index, after), touched: book.touched };
}
