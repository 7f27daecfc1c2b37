// What others put on objects and the controller must leave alone: everything that begins with
// `foreign/`, in metadata and status. The oracles ask it at every update.
import type { Stored } from '#src/devcluster/contract.ts';
import { fieldsAt, listAt, textAt } from './dig.ts';

const prefix = 'foreign/';

/** What is on the old one and not on the new one; the user takes none of it off before the end. */
export function lostForeign(resource: string, previous: Stored, object: Stored): readonly string[] {
  // Labels and annotations of a PodGang mirror those of its set (spec controllers 3.2), and only
  // the set's user may take a finalizer off.
  const isMirror = resource === 'podgangs';
  return [
    ...(isMirror ? [] : lostKeys('labels', previous, object)),
    ...(isMirror ? [] : lostKeys('annotations', previous, object)),
    ...lostConditions(previous, object),
  ];
}

/** Finalizers that the controller takes off though they are not its own. */
export const lostFinalizers = (live: Stored, wanted: readonly unknown[]): readonly string[] =>
  listAt(live, 'metadata', 'finalizers')
    .map(String)
    .filter((name) => name.startsWith(prefix) && !wanted.includes(name));

function lostKeys(field: string, previous: Stored, object: Stored): string[] {
  const now = fieldsAt(object, 'metadata', field);
  return Object.keys(fieldsAt(previous, 'metadata', field))
    .filter((key) => key.startsWith(prefix) && !(key in now))
    .map((key) => `${field} ${key}`);
}

function lostConditions(previous: Stored, object: Stored): string[] {
  const types = listAt(object, 'status', 'conditions').map((row) => textAt(row, 'type'));
  return listAt(previous, 'status', 'conditions')
    .map((row) => textAt(row, 'type'))
    .filter((type) => type.startsWith(prefix) && !types.includes(type))
    .map((type) => `condition ${type}`);
}
