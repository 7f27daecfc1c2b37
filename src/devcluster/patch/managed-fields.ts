// Field ownership of ordinary writes (POST, PUT and the patches that are no apply). The REST layer
// calls trackManagedFields last, before the object is stored.
import type { Stored } from '../contract.ts';
import { difference, isEmptySet, union } from './field-set.ts';
import { asksForReset, encodeManagers, identityOf, managersOf, serverFields } from './managers.ts';
import type { FieldManagers } from './managers.ts';
import { objectSchema } from '../schema/object-schema.ts';
import { entryOf, takeOver, withoutManagers } from './ownership.ts';
import type { Writer } from './ownership.ts';
import { compare } from './typed.ts';

export interface TrackRequest extends Writer {
  /** Absent: the write creates the object. */
  readonly before: Stored | undefined;
  /** What a new object has by itself (blank.ts); default: nothing. */
  readonly blank?: object;
  readonly after: Stored;
  readonly operation: 'Update';
}

/**
 * `metadata.managedFields` of `after`: its writer owns what it added or changed and all others lose
 * that. An object that was created without tracking stays so until it is applied.
 */
export function trackManagedFields(request: TrackRequest): Record<string, unknown>[] {
  const { before, after } = request;
  const known = claimedManagers(request);
  if (before !== undefined && known.size === 0) return [];
  const schema = objectSchema(request.schema);
  const changes = compare(
    withoutManagers(before) ?? request.blank ?? {},
    withoutManagers(after),
    schema,
  );
  const managers = new Map(takeOver(known, '', changes));
  const own = difference(union(changes.modified, changes.added), serverFields);
  if (!isEmptySet(own)) {
    const entry = { ...entryOf(request, 'Update'), fields: own };
    const identity = identityOf(entry);
    const previous = managers.get(identity);
    const fields = previous === undefined ? own : union(previous.fields, own);
    managers.set(identity, { ...entry, fields });
  }
  return encodeManagers(managers);
}

/** A client may edit the list, or reset it with `[{}]`; through a subresource it may not. */
function claimedManagers(request: TrackRequest): FieldManagers {
  const live = managersOf(request.before);
  if (request.subresource !== '') return live;
  if (asksForReset(request.after)) return new Map();
  const claimed = managersOf(request.after);
  return claimed.size > 0 ? claimed : live;
}
