// Works through a table of children: creates what lacks, patches what differs, deletes what nobody
// wants. One that is there and not the parent's own, or going, holds its name and is waited for.
import type { DeleteObject, Intent, Publish } from '../../contract/intents.ts';
import { keyIn } from '../../contract/view.ts';
import { isOwnedBy } from '../../kubernetes/meta.ts';
import type { Meta } from '../../kubernetes/meta.ts';
import type { GroveOwner } from '../objects/owned.ts';
import type {
  ChildFact,
  ChildTable,
  ChildType,
  Desired,
  FactsByKind,
  Family,
  Slots,
} from './type.ts';

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

export function reconcileChildren<Facts extends FactsByKind<Facts>, S>(
  table: ChildTable<Facts, S>,
  owner: GroveOwner,
  family: Family<Facts>,
  scope: S,
): Plan {
  const intents: Intent[] = [];
  const published: Publish[] = [];
  let hasAll = true;
  for (const kind of kindsOf(table)) {
    const there: Slots<ChildFact> = family[kind];
    const type: ChildType<ChildFact, S> = table[kind];
    const desired = type.desired(scope);
    const unwanted = unwantedOf(type, there, desired);
    intents.push(...removals(type, owner, there, unwanted));
    for (const child of unwanted) published.push(...noWish(type, owner, child));
    for (const one of desired) {
      const child = there.get(one.slot);
      intents.push(...ensure(type, owner, one, child));
      published.push(...wishes(type, owner, one, child));
      hasAll &&= one.isOptional === true || living(child, owner) !== undefined;
    }
  }
  return { intents, published, hasAll };
}

const kindsOf = <Facts extends FactsByKind<Facts>>(
  table: ChildTable<Facts, never>,
): readonly (keyof Facts)[] => {
  const isKind = (kind: string): kind is keyof Facts & string => Object.hasOwn(table, kind);
  return Object.keys(table).filter(isKind);
};

/** What is there and not desired, where that matters to the kind. */
function unwantedOf<S>(
  { surplus, wishes: view }: ChildType<ChildFact, S>,
  there: Slots<ChildFact>,
  desired: readonly Desired<ChildFact>[],
): readonly ChildFact[] {
  if (surplus === undefined && view === undefined) return [];
  const slots = new Set(desired.map(({ slot }) => slot));
  return [...there].flatMap(([slot, child]) => (slots.has(slot) ? [] : [child]));
}

/** What is held although it is being deleted, and what nobody wants. */
function removals<S>(
  type: ChildType<ChildFact, S>,
  owner: GroveOwner,
  there: Slots<ChildFact>,
  unwanted: readonly ChildFact[],
): readonly Intent[] {
  const { surplus } = type;
  const held =
    type.letGo === undefined ? [] : [...there.values()].filter(({ deleting }) => deleting);
  const intents = held.flatMap((child) => type.letGo?.(child) ?? []);
  if (surplus === undefined) return intents;
  const leaving = unwanted.filter((child) => living(child, owner));
  return [...intents, ...leaving.map((child) => departure(type, child, surplus))];
}

function ensure<S>(
  { kind }: ChildType<ChildFact, S>,
  owner: GroveOwner,
  { name, reason, build, ...right }: Desired<ChildFact>,
  there: ChildFact | undefined,
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
function wishes<S>(
  { wishes: view }: ChildType<ChildFact, S>,
  owner: GroveOwner,
  desired: Desired<ChildFact>,
  there: ChildFact | undefined,
): readonly Publish[] {
  if (view === undefined) return [];
  const child = living(there, owner);
  const item = child && desired.wish?.(child);
  return [{ type: 'publish', view, key: keyIn(owner, desired.name), item }];
}

const noWish = (
  { wishes: view }: ChildType<ChildFact, never>,
  owner: GroveOwner,
  { name }: ChildFact,
): readonly Publish[] =>
  view === undefined ? [] : [{ type: 'publish', view, key: keyIn(owner, name), item: undefined }];

/** Of children that nobody wants any more. */
export const noWishes = <Facts extends FactsByKind<Facts>>(
  table: ChildTable<Facts, never>,
  owner: GroveOwner,
  family: Family<Facts>,
): readonly Publish[] =>
  kindsOf(table).flatMap((kind) => {
    const there: Slots<ChildFact> = family[kind];
    const type: ChildType<ChildFact, never> = table[kind];
    return [...there.values()].flatMap((child) => noWish(type, owner, child));
  });

/** One that is still to go. */
export interface Leaving {
  readonly child: ChildFact;
  /** By our finalizer: no refusal of its deletion is final. */
  readonly isHeld: boolean;
  /** The next step on its way out; `isDeep`: with its own children first. */
  readonly depart: (reason: string, isDeep?: boolean) => Intent;
}

/** The owner's own that stay, and those that only our finalizer holds; `order`: by kind. */
export const leavingOf = <Facts extends FactsByKind<Facts>>(
  table: ChildTable<Facts, never>,
  order: readonly (keyof Facts)[],
  family: Family<Facts>,
  owner: GroveOwner,
): readonly Leaving[] =>
  order.flatMap((kind) => {
    const there: Slots<ChildFact> = family[kind];
    const type: ChildType<ChildFact, never> = table[kind];
    return [...there.values()].flatMap((child): readonly Leaving[] => {
      const isHeld = (type.letGo?.(child) ?? []).length > 0;
      if (living(child, owner) === undefined && !(child.deleting && isHeld)) return [];
      return [
        {
          child,
          isHeld,
          depart: (reason, isDeep = false) =>
            departure(type, child, reason, isDeep && type.hasChildren === true),
        },
      ];
    });
  });

/** Our finalizer is taken off first, or nobody could ever delete it. */
function departure(
  type: ChildType<ChildFact, never>,
  child: ChildFact,
  reason: string,
  isDeep = false,
): Intent {
  const [first] = type.letGo?.(child) ?? [];
  const deletion: DeleteObject = {
    type: 'deleteObject',
    ref: { kind: child.kind, namespace: child.namespace, name: child.name },
    reason,
    uid: child.uid,
    ...(isDeep ? { propagation: 'Foreground' } : {}),
  };
  return first ?? deletion;
}
