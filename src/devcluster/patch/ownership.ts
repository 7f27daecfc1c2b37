// What apply.ts and managed-fields.ts share: the writer of a request, its entry in managedFields,
// and the loss of ownership of fields that somebody else changed.
import type { Schema, Stored } from '../contract.ts';
import { difference, isEmptySet, union } from './field-set.ts';
import type { FieldManager, FieldManagers } from './managers.ts';
import type { Comparison } from './typed.ts';

/** Who writes, when and how; the same for both entry points. */
export interface Writer {
  /** The fieldManager of the request. */
  readonly manager: string;
  readonly schema: Schema;
  /** RFC 3339 with seconds, as metadata times are written. */
  readonly now: string;
  /** `status`, `scale`, ...; empty for the object itself. */
  readonly subresource: string;
  readonly apiVersion: string;
}

export interface ApplyRequest extends Writer {
  /** Absent: the apply creates the object. */
  readonly live?: Stored | undefined;
  /** What the client sent, without the fields that this endpoint ignores. */
  readonly applied: Stored;
  readonly force: boolean;
}

/** The other managers lose what was changed or removed. */
export function takeOver(
  managers: FieldManagers,
  self: string,
  changes: Comparison,
): FieldManagers {
  const touched = union(union(changes.modified, changes.added), changes.removed);
  const result = new Map<string, FieldManager>();
  for (const [identity, entry] of managers) {
    if (identity === self) result.set(identity, entry);
    else {
      const fields = difference(entry.fields, touched);
      if (!isEmptySet(fields)) result.set(identity, { ...entry, fields });
    }
  }
  return result;
}

/** The entry of a writer, still without fields. */
export const entryOf = (
  writer: Writer,
  operation: 'Apply' | 'Update',
): Omit<FieldManager, 'fields'> => ({
  manager: writer.manager === '' ? 'unknown' : writer.manager,
  operation,
  apiVersion: writer.apiVersion,
  subresource: writer.subresource,
  time: writer.now,
});

/** The object as it is compared: without its managedFields. */
export function withoutManagers(object: Stored | undefined): Stored | undefined {
  if (object === undefined || object.metadata['managedFields'] === undefined) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
