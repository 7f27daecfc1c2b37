// Server-side apply: a manager's configuration is merged into the object, other managers' fields
// are protected, and what the manager no longer mentions disappears. The REST layer calls it for
// apply patches; managed-fields.ts is for every other write.
import { isEqual } from '#machines/kubernetes/json.ts';
import type { Schema, Stored } from '../contract.ts';
import { objectSchema } from '../schema/object-schema.ts';
import { isRecord } from '../schema/record.ts';
import { applyDefaults } from '../schema/structural.ts';
import type { ApplyConflict } from './conflicts.ts';
import { conflictsWith } from './conflicts.ts';
import type { FieldSet } from './field-set.ts';
import { difference, emptySet, intersection, isEmptySet, sameSet, union } from './field-set.ts';
import { allowUpgrade, refreshLastApplied } from './last-applied.ts';
import type { FieldManager, FieldManagers } from './managers.ts';
import { encodeManagers, identityOf, managersOf, serverFields } from './managers.ts';
import { entryOf, takeOver, withoutManagers } from './ownership.ts';
import type { ApplyRequest } from './ownership.ts';
import type { Comparison } from './typed.ts';
import { compare, fieldsOf, mergeApplied, MergeTypeError, removeFields } from './typed.ts';

/** The merged object (`changed` false: the live one, untouched), or why it was refused. */
export type ApplyResult =
  | { readonly object: Stored; readonly changed: boolean }
  | { readonly conflicts: readonly ApplyConflict[] }
  | { readonly error: string };

/** Applies a configuration on behalf of a manager. Neither input is changed. */
export function serverSideApply(request: ApplyRequest): ApplyResult {
  if (request.applied.metadata['managedFields'] !== undefined) {
    return { error: 'metadata.managedFields must be nil' };
  }
  try {
    return apply(request);
  } catch (error) {
    if (error instanceof MergeTypeError) return { error: error.message };
    throw error;
  }
}

function apply(request: ApplyRequest): ApplyResult {
  const schema = objectSchema(request.schema);
  const known = knownManagers(request, schema);
  const entry: FieldManager = {
    ...entryOf(request, 'Apply'),
    fields: difference(fieldsOf(request.applied, schema), serverFields),
  };
  const identity = identityOf(entry);
  const last = known.get(identity);
  const managers = new Map(known).set(identity, entry);

  const merged = mergeApplied(withoutManagers(request.live), request.applied, schema);
  const object = last === undefined ? merged : prune(merged, last.fields, managers, schema);
  if (!isStored(object)) return { error: 'metadata: Required value' };

  const changes = compare(withoutManagers(request.live) ?? {}, object, schema);
  const conflicts = findConflicts(managers, identity, changes);
  if (conflicts.length > 0 && !request.force && !allowUpgrade(request, conflicts)) {
    return { conflicts };
  }
  const nextManagers = takeOver(managers, identity, changes);
  const updated = refreshLastApplied(request, object);
  if (request.live && isLive(request, updated) && sameManagers(known, nextManagers)) {
    return { object: request.live, changed: false };
  }
  return { object: withManagers(updated, nextManagers), changed: true };
}

/** True where the merged object is the live one, now or once the defaults of the schema are in. */
function isLive(request: ApplyRequest, object: Stored): boolean {
  const live = withoutManagers(request.live);
  if (isEqual(live, object)) return true;
  const complete = structuredClone(object);
  applyDefaults(request.schema, complete);
  return isEqual(live, complete);
}

/** An object that nobody tracked yet belongs to `before-first-apply` when the first apply comes. */
function knownManagers(request: ApplyRequest, schema: Schema): FieldManagers {
  const known = managersOf(request.live);
  if (known.size > 0 || request.live === undefined) return known;
  const fields = difference(compare({}, withoutManagers(request.live), schema).added, serverFields);
  const writer = { ...request, manager: 'before-first-apply', subresource: '' };
  const entry = { ...entryOf(writer, 'Update'), fields };
  return new Map([[identityOf(entry), entry]]);
}

/** Takes away what the manager applied last time and nobody applies now. */
function prune(merged: unknown, last: FieldSet, managers: FieldManagers, schema: Schema): unknown {
  let applied = emptySet();
  for (const entry of managers.values()) {
    if (entry.operation === 'Apply') applied = union(applied, entry.fields);
  }
  const gone = difference(last, applied);
  return isEmptySet(gone) ? merged : removeFields(merged, gone, schema, applied);
}

function findConflicts(
  managers: FieldManagers,
  self: string,
  changes: Comparison,
): ApplyConflict[] {
  const touched = union(changes.modified, changes.added);
  return [...managers].flatMap(([identity, entry]) =>
    identity === self ? [] : conflictsWith(entry, intersection(entry.fields, touched)),
  );
}

const sameManagers = (a: FieldManagers, b: FieldManagers): boolean =>
  a.size === b.size &&
  [...a].every(([identity, entry]) => {
    const other = b.get(identity);
    return (
      other !== undefined &&
      other.apiVersion === entry.apiVersion &&
      sameSet(other.fields, entry.fields)
    );
  });

const isStored = (value: unknown): value is Stored =>
  isRecord(value) && isRecord(value['metadata']);

function withManagers(object: Stored, managers: FieldManagers): Stored {
  const managedFields = encodeManagers(managers);
  const result: unknown = { ...object, metadata: { ...object.metadata, managedFields } };
  return isStored(result) ? result : object;
}
