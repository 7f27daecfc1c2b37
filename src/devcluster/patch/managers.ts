// metadata.managedFields as a table of managers with their field sets: decoding, encoding in
// Kubernetes' order, and the cap on entries of ordinary writers.
import { isRecord, textAt } from '../schema/record.ts';
import type { FieldSet } from './field-set.ts';
import { decodeFields, encodeFields, isEmptySet, setOfPaths, union } from './field-set.ts';

export interface FieldManager {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339 with seconds; absent where an entry came without. */
  readonly time?: string;
  readonly fields: FieldSet;
}

/** Managers by identity: an applier is one whatever version it applies in. */
export type FieldManagers = ReadonlyMap<string, FieldManager>;

/** Kubernetes' limit on entries of ordinary writers; older ones are folded into one. */
const maximumUpdaters = 10;
const foldedName = 'ancient-changes';

/** Fields that belong to the server and are in no manager's set. */
export const serverFields: FieldSet = setOfPaths([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ['metadata', 'name'],
  ['metadata', 'namespace'],
  ['metadata', 'creationTimestamp'],
  ['metadata', 'selfLink'],
  ['metadata', 'uid'],
  ['metadata', 'clusterName'],
  ['metadata', 'generation'],
  ['metadata', 'managedFields'],
  ['metadata', 'resourceVersion'],
]);

export const identityOf = (entry: Omit<FieldManager, 'fields'>): string =>
  JSON.stringify([
    entry.manager,
    entry.operation,
    entry.operation === 'Apply' ? '' : entry.apiVersion,
    entry.subresource,
  ]);

/** The managers of an object; malformed entries are left out. */
export function managersOf(object: unknown): FieldManagers {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const list = isRecord(metadata) ? metadata['managedFields'] : undefined;
  const managers = new Map<string, FieldManager>();
  if (!Array.isArray(list)) return managers;
  for (const raw of list) {
    const entry = decodeEntry(raw);
    if (entry !== undefined) managers.set(identityOf(entry), entry);
  }
  return managers;
}

function decodeEntry(raw: unknown): FieldManager | undefined {
  const operation = textAt(raw, 'operation');
  if (!isRecord(raw) || (operation !== 'Apply' && operation !== 'Update')) return undefined;
  const time = textAt(raw, 'time');
  return {
    manager: textAt(raw, 'manager'),
    operation,
    apiVersion: textAt(raw, 'apiVersion'),
    subresource: textAt(raw, 'subresource'),
    ...(time === '' ? {} : { time }),
    fields: decodeFields(raw['fieldsV1']),
  };
}

/** True where a client asks to forget all managers: `managedFields: [{}]`. */
export function asksForReset(object: unknown): boolean {
  const metadata = isRecord(object) ? object['metadata'] : undefined;
  const list = isRecord(metadata) ? metadata['managedFields'] : undefined;
  if (!Array.isArray(list) || list.length !== 1) return false;
  const [only] = list;
  return isRecord(only) && Object.keys(only).length === 0;
}

const order = (a: FieldManager, b: FieldManager): number => {
  if (a.operation !== b.operation) return a.operation === 'Apply' ? -1 : 1;
  const left = `${a.time ?? ''}\n${a.manager}\n${a.apiVersion}\n${a.subresource}`;
  const right = `${b.time ?? ''}\n${b.manager}\n${b.apiVersion}\n${b.subresource}`;
  return left < right ? -1 : Number(left > right);
};

/** The entries as they are stored: appliers first, then by time and name; empty ones left out. */
export function encodeManagers(managers: FieldManagers): Record<string, unknown>[] {
  const entries = [...managers.values()].filter((entry) => !isEmptySet(entry.fields));
  return capUpdaters(entries)
    .toSorted(order)
    .map((entry) => ({
      manager: entry.manager,
      operation: entry.operation,
      apiVersion: entry.apiVersion,
      ...(entry.time === undefined ? {} : { time: entry.time }),
      fieldsType: 'FieldsV1',
      fieldsV1: encodeFields(entry.fields),
      ...(entry.subresource === '' ? {} : { subresource: entry.subresource }),
    }));
}

function capUpdaters(entries: readonly FieldManager[]): readonly FieldManager[] {
  const updaters = entries.filter((entry) => entry.operation === 'Update').toSorted(order);
  const surplus = updaters.length - maximumUpdaters;
  if (surplus <= 0) return entries;
  const old = new Set(updaters.slice(0, surplus + 1));
  const folded = new Map<string, FieldManager>();
  for (const entry of old) {
    const known = folded.get(entry.apiVersion);
    const fields = known === undefined ? entry.fields : union(known.fields, entry.fields);
    folded.set(entry.apiVersion, { ...entry, manager: foldedName, subresource: '', fields });
  }
  return [...entries.filter((entry) => !old.has(entry)), ...folded.values()];
}
