// Lists: which version they show, in which pages, and how a page says where the next one starts.
// Semantics of resourceVersion as in Kubernetes' "API concepts".
import type { Stored } from '#src/devcluster/contract.ts';
import { collectionOf } from '../call.ts';
import type { Call } from '../call.ts';
import { all, once, type Soon } from '../conversion.ts';
import { expired, versionTooLarge } from '../errors.ts';
import { keyOf } from '../store/collection.ts';
import type { Collection } from '../store/collection.ts';
import { shownAs } from '../store/versions.ts';
import { encodeContinue, isSelected, isSelective, readListOptions } from './list-options.ts';
import type { ListOptions, Selection } from './list-options.ts';

export interface Page {
  /** The version that the list shows. */
  readonly version: number;
  readonly items: readonly Stored[];
  readonly continueToken: string | undefined;
  /** How many come after this page; absent with selectors, where it is not counted. */
  readonly remaining: number | undefined;
}

/** Answers a list request; throws the refusals. */
export function listPage(call: Call): Soon<Page> {
  const options = readListOptions(call);
  const collection = collectionOf(call);
  const version = versionToShow(call, options);
  const objects = objectsAt(collection, version, call, options);
  const start = options.continueToken?.start;
  const after = start === undefined ? objects : objects.slice(firstFrom(objects, start));
  const limit = options.version === 0 && start === undefined ? 0 : options.limit;
  const page = takePage(after, options.selection, limit);
  return once(all(page.items.map((each) => shownAs(call, each))), (items) => ({
    version,
    items,
    continueToken:
      page.next === undefined ? undefined : encodeContinue({ version, start: page.next }),
    remaining: page.remaining,
  }));
}

function versionToShow({ core, behind }: Call, options: ListOptions): number {
  const current = core.store.version;
  const { continueToken, version, match, limit } = options;
  if (continueToken !== undefined) {
    return continueToken.version === -1 ? current : continueToken.version;
  }
  if (version === undefined || version === 0) return Math.max(1, current - behind);
  if (version > current) throw versionTooLarge(version, current);
  const exact = match === 'Exact' || (match === undefined && limit > 0);
  return exact ? version : Math.max(version, current - behind);
}

function objectsAt(
  collection: Collection,
  version: number,
  call: Call,
  { selection, continueToken }: ListOptions,
): readonly Stored[] {
  const named = selection.fields?.name;
  if (
    version === call.core.store.version &&
    named !== undefined &&
    selection.namespace !== undefined
  ) {
    const object = collection.get(selection.namespace, named);
    return object === undefined ? [] : [object];
  }
  const objects = collection.listAt(version, selection.namespace);
  if (objects !== undefined) return objects;
  if (continueToken === undefined) {
    throw expired(`The resourceVersion for the provided list is too old: ${version}`);
  }
  const token = encodeContinue({ version: -1, start: continueToken.start });
  throw expired(
    'The provided continue parameter is too old to display a consistent list result. Start a new ' +
      'list without it, or go on with the token in this answer for the rest as it is now.',
    { continue: token },
  );
}

/** The position of the first object with a key at or after `start`. */
function firstFrom(objects: readonly Stored[], start: string): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const object = objects[middle];
    if (object !== undefined && keyOf(object) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}

interface Taken {
  readonly items: readonly Stored[];
  readonly next: string | undefined;
  readonly remaining: number | undefined;
}

function takePage(objects: readonly Stored[], selection: Selection, limit: number): Taken {
  const items: Stored[] = [];
  for (let at = 0; at < objects.length; at++) {
    const object = objects[at];
    if (object === undefined || !isSelected(selection, object)) continue;
    if (limit > 0 && items.length === limit) {
      const remaining = isSelective(selection) ? undefined : objects.length - at;
      return { items, next: keyOf(object), remaining };
    }
    items.push(object);
  }
  return { items, next: undefined, remaining: undefined };
}
