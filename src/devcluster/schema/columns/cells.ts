// Readers that the columns of built-in kinds share: one cell of a row each.
import type { PrinterColumn, Stored } from '../../contract.ts';
import { age } from '../human.ts';
import { isRecord, listAt, recordAt, textAt, valueAt } from '../record.ts';

export type Cell = (object: Stored, now: number) => string | number | boolean | null;

export const none = '<none>';

/** A column that is always shown. */
export const column = (
  name: string,
  cell: Cell,
  type: PrinterColumn['type'] = 'string',
): PrinterColumn => ({ name, type, priority: 0, cell });

/** A column that only `-o wide` shows. */
export const wide = (name: string, cell: Cell): PrinterColumn => ({
  name,
  type: 'string',
  priority: 1,
  cell,
});

export const nameColumn: PrinterColumn = {
  name: 'Name',
  type: 'string',
  format: 'name',
  priority: 0,
  cell: (object) => textAt(object.metadata, 'name'),
};

export const ageColumn: PrinterColumn = column('Age', (object, now) =>
  age(object.metadata['creationTimestamp'], now),
);

/** Kinds whose table shows the time itself. */
export const createdColumn: PrinterColumn = column('Created At', (object) =>
  textAt(object.metadata, 'creationTimestamp'),
);

export const text =
  (path: readonly string[], fallback = ''): Cell =>
  (object) => {
    const value = valueAt(object, ...path);
    if (value === undefined || value === null || value === '') return fallback;
    return typeof value === 'string' ? value : JSON.stringify(value);
  };

export const integer =
  (...path: string[]): Cell =>
  (object) => {
    const value = valueAt(object, ...path);
    return typeof value === 'number' ? value : 0;
  };

export const boolean =
  (...path: string[]): Cell =>
  (object) =>
    valueAt(object, ...path) === true;

/** How many entries a map or list has. */
export const count =
  (...path: string[]): Cell =>
  (object) => {
    const value = valueAt(object, ...path);
    if (Array.isArray(value)) return value.length;
    return isRecord(value) ? Object.keys(value).length : 0;
  };

/** `3/5` of two numbers. */
export const ratio =
  (part: readonly string[], whole: readonly string[]): Cell =>
  (object, now) =>
    `${integer(...part)(object, now)}/${integer(...whole)(object, now)}`;

const operators: Readonly<Record<string, string>> = { In: 'in', NotIn: 'notin' };

/** A label selector object as kubectl writes selectors. */
export function printSelector(selector: unknown): string {
  if (!isRecord(selector)) return none;
  const labels = Object.entries(recordAt(selector, 'matchLabels'));
  const parts = labels.map(([key, value]) => `${key}=${String(value)}`).toSorted();
  for (const requirement of listAt(selector, 'matchExpressions')) {
    const key = textAt(requirement, 'key');
    const operator = textAt(requirement, 'operator');
    if (operator === 'Exists') parts.push(key);
    else if (operator === 'DoesNotExist') parts.push(`!${key}`);
    else {
      const values = listAt(requirement, 'values').map(String).toSorted();
      parts.push(`${key} ${operators[operator] ?? operator} (${values.join(',')})`);
    }
  }
  return parts.length === 0 ? none : parts.join(',');
}

/** A map of labels as `a=1,b=2`. */
export function printLabels(labels: unknown): string {
  const entries = isRecord(labels) ? Object.entries(labels) : [];
  if (entries.length === 0) return none;
  return entries
    .map(([key, value]) => `${key}=${String(value)}`)
    .toSorted()
    .join(',');
}

const containersOf =
  (...path: string[]): ((object: Stored) => readonly unknown[]) =>
  (object) =>
    listAt(valueAt(object, ...path), 'containers');

/** The wide columns of everything with a pod template. */
export const templateColumns = (...path: string[]): PrinterColumn[] => {
  const containers = containersOf(...path);
  return [
    wide('Containers', (object) =>
      containers(object)
        .map((each) => textAt(each, 'name'))
        .join(','),
    ),
    wide('Images', (object) =>
      containers(object)
        .map((each) => textAt(each, 'image'))
        .join(','),
    ),
  ];
};

/** Lists of names, shortened as kubectl does: `a,b,c + 2 more...`. */
export function some(names: readonly string[], most = 3): string {
  if (names.length === 0) return none;
  const shown = names.slice(0, most).join(',');
  return names.length > most ? `${shown} + ${names.length - most} more...` : shown;
}
