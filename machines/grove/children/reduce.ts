// How a parent takes news of its children into what it knows. Used by the reduce.ts of whoever has
// a table of children.
import type { ObjectRef } from '../../contract/address.ts';
import type { Kind } from '../../contract/kind.ts';
import { resolved } from '../../contract/failure-log.ts';
import type { FailureLog } from '../../contract/failure-log.ts';
import { set as place } from './radix.ts';
import { replicaAt, touch, type ReplicaBook } from './replicas.ts';
import type {
  ChildTable,
  ChildType,
  Family,
  ObservedByKind,
  ObservedChild,
  Slots,
} from './type.ts';

/** `gone`: what is left of an object that is gone. */
export type ChildEvent<F extends ObservedChild = ObservedChild> =
  | { readonly type: 'child.observed'; readonly observed: F }
  | {
      readonly type: 'child.gone';
      readonly kind: Kind;
      readonly name: string;
      readonly uid: string;
    };

export const kindOf = (event: ChildEvent): Kind =>
  event.type === 'child.observed' ? event.observed.kind : event.kind;

export const nameOf = (event: ChildEvent): string =>
  event.type === 'child.observed' ? event.observed.name : event.name;

export const hasRow = <Observed extends ObservedByKind<Observed>>(
  table: ChildTable<Observed, never>,
  kind: Kind,
): kind is keyof Observed & Kind => Object.hasOwn(table, kind);

interface Taken<Observed> {
  readonly family: Family<Observed>;
  /** False: only the version was taken note of, no plan is asked for. */
  readonly isNews: boolean;
}

/** Undefined where nothing has changed. */
export function taken<Observed extends ObservedByKind<Observed>>(
  table: ChildTable<Observed, never>,
  kind: keyof Observed & Kind,
  { family, slot }: { readonly family: Family<Observed>; readonly slot: string },
  event: ChildEvent,
): Taken<Observed> | undefined {
  const type: ChildType<ObservedChild, never> = table[kind];
  const there: Slots<ObservedChild> = family[kind];
  const old = there.get(slot);
  if (event.type === 'child.gone') {
    if (old?.uid !== event.uid) return undefined;
    const rest = new Map([...there].filter(([key]) => key !== slot));
    return { family: { ...family, [kind]: rest }, isNews: true };
  }
  const { observed } = event;
  const isNews = type.hasChanged(old, observed);
  const isNewer = type.keepsVersion === true && old?.resourceVersion !== observed.resourceVersion;
  if (!isNews && !isNewer) return undefined;
  return { family: { ...family, [kind]: new Map(there).set(slot, observed) }, isNews };
}

/** A child that shows up was created, one that is gone cannot fail any more. */
export const withoutErrorsOf = (
  errors: FailureLog,
  event: ChildEvent,
  namespace: string,
): FailureLog =>
  errors.length === 0
    ? errors
    : resolved(
        errors,
        { kind: kindOf(event), namespace, name: nameOf(event) },
        event.type === 'child.observed' ? 'create' : undefined,
      );

/** The context with what happened to a child of a replica; the same one where nothing changed. */
export function withChildOf<Observed extends ObservedByKind<Observed>, Context>(
  table: ChildTable<Observed, never>,
  context: Context & ReplicaBook<Observed>,
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
export function childOf<Observed extends ObservedByKind<Observed>>(
  table: ChildTable<Observed, never>,
  book: ReplicaBook<Observed>,
  parent: string,
  { kind, name }: ObjectRef,
): ObservedChild | undefined {
  if (!hasRow(table, kind)) return undefined;
  const { replica: index, slot } = table[kind].place(parent, name) ?? {};
  if (index === undefined || slot === undefined) return undefined;
  const there: Slots<ObservedChild> = replicaAt(book, index).children[kind];
  return there.get(slot);
}
