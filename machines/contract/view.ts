// Views: what actors read of objects that are not theirs, and of each other. A view holds items by
// key; an item comes from an object, by the module's route of its kind, or from an actor that
// publishes it. The runtime keeps items by difference, wakes who reads a key when its value
// changes, and hands the value over at their next reconcile: a lost message costs time alone.

/** `I`: an item; `V`: what is read under a key. */
export interface View<I = unknown, V = unknown> {
  /** As people see it on the bus; unique. */
  readonly name: string;
  /** Of all items under one key, by where each comes from; undefined: there is nothing to read. */
  valueOf(items: ReadonlyMap<string, I>): V | undefined;
  /** Absent: equal as JSON, so what is put there holds no Map and no Set. */
  isSameItem?(one: I, other: I): boolean;
  /** Absent: equal as JSON. */
  isSame?(one: V, other: V): boolean;
  /** Whether readers are woken by such a change; absent: by any. Who is not woken reads the newest
   *  at its next reconcile all the same. */
  wakes?(before: V | undefined, now: V | undefined): boolean;
  /** What a reader gets: the event that its `reduce` takes. */
  event(key: string, value: V | undefined): { readonly type: string };
  /** A few words for people, e.g. `2 of 3 scheduled`. */
  say(value: V): string;
}

/** An item under a key. */
export interface Entry {
  readonly view: View;
  readonly key: string;
  readonly item: unknown;
}

/** What an actor reads: the value of a view under a key. */
export interface Reading {
  readonly view: View;
  readonly key: string;
}

export const entry = <I, V>(view: View<I, V>, key: string, item: I): Entry => ({
  view,
  key,
  item,
});

/** The key of what belongs to an object with a namespace. */
export const keyIn = ({ namespace }: { readonly namespace: string }, name: string): string =>
  `${namespace}/${name}`;

/** What a reader gets, where a view has no event of its own; undefined: there is nothing to
 *  read. */
export interface Read<N extends string, V> {
  readonly type: `${N}.read`;
  readonly key: string;
  readonly value: V | undefined;
}

/** The `event` of such a view. */
export const read =
  <V>(name: string) =>
  (key: string, value: V | undefined): Read<string, V> => ({ type: `${name}.read`, key, value });

/** A view with one item under a key, which is its value. */
export const single = <I>({
  isSame,
  ...view
}: Pick<View<I, I>, 'name' | 'say' | 'isSame'> & Partial<Pick<View<I, I>, 'event'>>): View<
  I,
  I
> => ({
  event: read(view.name),
  ...view,
  ...(isSame === undefined ? {} : { isSame, isSameItem: isSame }),
  valueOf: (items) => items.values().next().value,
});

/** What was read under keys, with what is under this one now. */
export function withRead<V>(
  read: ReadonlyMap<string, V>,
  key: string,
  value: V | undefined,
): ReadonlyMap<string, V> {
  const next = new Map(read);
  if (value === undefined) next.delete(key);
  else next.set(key, value);
  return next;
}
