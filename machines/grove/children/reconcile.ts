// Works through a table of children: creates what lacks, patches what differs, deletes what nobody
// wants. One that is there and not the parent's own, or going, holds its name and is waited for.
import type { Intent, Publish } from '../../contract/intents.ts';
import { keyIn } from '../../contract/view.ts';
import { isOwnedBy, type Meta } from '../../kubernetes/meta.ts';
import type { GroveOwner } from '../objects/labels.ts';
import type {
  ChildTable,
  ChildType,
  Desired,
  Family,
  ObservedByKind,
  ObservedChild,
  Slots,
} from './type.ts';
import { deletionOf } from '../../contract/object-intents.ts';
import { heldBy } from '../../kubernetes/deletion.ts';

/** The object if it is controlled by this very owner and stays. */
export const living = <T extends Meta>(child: T | undefined, owner: GroveOwner): T | undefined =>
  child !== undefined && !child.deleting && isOwnedBy(child, owner.kind, owner.uid)
    ? child
    : undefined;

export interface Plan {
  readonly intents: readonly Intent[];
  /** What the actors of children read. */
  readonly published: readonly Publish[];
  /** Everything that is wanted is there, and stays. */
  readonly hasAll: boolean;
}

export function reconcileChildren<Observed extends ObservedByKind<Observed>, S>(
  table: ChildTable<Observed, S>,
  owner: GroveOwner,
  family: Family<Observed>,
  scope: S,
): Plan {
  const intents: Intent[] = [];
  const published: Publish[] = [];
  let hasAll = true;
  for (const kind of kindsOf(table)) {
    const there: Slots<ObservedChild> = family[kind];
    const type: ChildType<ObservedChild, S> = table[kind];
    const desired = type.desired(scope);
    const unwanted = unwantedOf(type, there, desired);
    intents.push(...removals(type, owner, there, unwanted));
    for (const child of unwanted) published.push(...noDesired(type, owner, child));
    for (const one of desired) {
      const child = there.get(one.slot);
      intents.push(...ensure(type, owner, one, child));
      published.push(...desiredView(type, owner, one, child));
      hasAll &&= one.isOptional === true || living(child, owner) !== undefined;
    }
  }
  return { intents, published, hasAll };
}

const kindsOf = <Observed extends ObservedByKind<Observed>>(
  table: ChildTable<Observed, never>,
): readonly (keyof Observed)[] => {
  const isKind = (kind: string): kind is keyof Observed & string => Object.hasOwn(table, kind);
  return Object.keys(table).filter(isKind);
};

/** What is there and not desired, where that matters to the kind. */
function unwantedOf<S>(
  { surplus, desiredView: view }: ChildType<ObservedChild, S>,
  there: Slots<ObservedChild>,
  desired: readonly Desired<ObservedChild>[],
): readonly ObservedChild[] {
  if (surplus === undefined && view === undefined) return [];
  const slots = new Set(desired.map(({ slot }) => slot));
  return [...there].flatMap(([slot, child]) => (slots.has(slot) ? [] : [child]));
}

/** What is held although it is being deleted, and what nobody wants. */
function removals<S>(
  type: ChildType<ObservedChild, S>,
  owner: GroveOwner,
  there: Slots<ObservedChild>,
  unwanted: readonly ObservedChild[],
): readonly Intent[] {
  const { surplus } = type;
  const held =
    type.removeFinalizer === undefined
      ? []
      : [...there.values()].filter(({ deleting }) => deleting);
  const intents = held.flatMap((child) => type.removeFinalizer?.(child) ?? []);
  if (surplus === undefined) return intents;
  const leaving = unwanted.filter((child) => living(child, owner));
  return [...intents, ...leaving.map((child) => nextDeletionStep(type, child, surplus))];
}

function ensure<S>(
  { kind }: ChildType<ObservedChild, S>,
  owner: GroveOwner,
  { name, reason, build, ...right }: Desired<ObservedChild>,
  there: ObservedChild | undefined,
): readonly Intent[] {
  const { namespace } = owner;
  const ref = { kind, namespace, name };
  if (there === undefined) {
    return build === undefined ? [] : [{ type: 'createObject', ref, reason, body: build() }];
  }
  const child = living(there, owner);
  if (child === undefined) return [];
  const wrong = right.patch?.(child);
  return wrong === undefined ? [] : [{ type: 'patchObject', ref, uid: child.uid, ...wrong }];
}

/** What is wanted of one that has an actor, or that there is nothing to want. */
function desiredView<S>(
  { desiredView: view }: ChildType<ObservedChild, S>,
  owner: GroveOwner,
  desired: Desired<ObservedChild>,
  there: ObservedChild | undefined,
): readonly Publish[] {
  if (view === undefined) return [];
  const child = living(there, owner);
  const item = child && desired.desired?.(child);
  return [{ type: 'publish', view, key: keyIn(owner, desired.name), item }];
}

const noDesired = (
  { desiredView: view }: ChildType<ObservedChild, never>,
  owner: GroveOwner,
  { name }: ObservedChild,
): readonly Publish[] =>
  view === undefined ? [] : [{ type: 'publish', view, key: keyIn(owner, name), item: undefined }];

/** Of children that nobody wants any more. */
export const noneDesired = <Observed extends ObservedByKind<Observed>>(
  table: ChildTable<Observed, never>,
  owner: GroveOwner,
  family: Family<Observed>,
): readonly Publish[] =>
  kindsOf(table).flatMap((kind) => {
    const there: Slots<ObservedChild> = family[kind];
    const type: ChildType<ObservedChild, never> = table[kind];
    return [...there.values()].flatMap((child) => noDesired(type, owner, child));
  });

/** One that is still to go. */
export interface Leaving {
  readonly child: ObservedChild;
  /** By our finalizer: no refusal of its deletion is final. */
  readonly isHeld: boolean;
  /** The next step on its way out; `isDeep`: with its own children first. */
  readonly depart: (reason: string, isDeep?: boolean) => Intent;
}

/** The owner's own that stay, and those that only our finalizer holds; `order`: by kind. */
export const leavingOf = <Observed extends ObservedByKind<Observed>>(
  table: ChildTable<Observed, never>,
  order: readonly (keyof Observed)[],
  family: Family<Observed>,
  owner: GroveOwner,
): readonly Leaving[] =>
  order.flatMap((kind) => {
    const there: Slots<ObservedChild> = family[kind];
    const type: ChildType<ObservedChild, never> = table[kind];
    return [...there.values()].flatMap((child): readonly Leaving[] => {
      const isHeld = (type.removeFinalizer?.(child) ?? []).length > 0;
      if (living(child, owner) === undefined && !(child.deleting && isHeld)) return [];
      return [
        {
          child,
          isHeld,
          depart: (reason, isDeep = false) =>
            nextDeletionStep(type, child, reason, isDeep && type.hasChildren === true),
        },
      ];
    });
  });

/** Our finalizer is taken off first, or nobody could ever delete it. */
function nextDeletionStep(
  type: ChildType<ObservedChild, never>,
  child: ObservedChild,
  reason: string,
  isDeep = false,
): Intent {
  const [first] = type.removeFinalizer?.(child) ?? [];
  const deletion = deletionOf(child, reason);
  return first ?? (isDeep ? { ...deletion, propagation: 'Foreground' } : deletion);
}

/** Why a child is not there as its parent's own; `parent`: what an earlier one of it is called. */
export function whyMissing(what: string, there: ObservedChild | undefined, parent: string): string {
  if (there === undefined) return `waiting for ${what} to be created`;
  return there.deleting
    ? `waiting for the old ${what} to go${heldBy(there)}`
    : `${what} belongs to an earlier ${parent}: the garbage collector takes it`;
}
