// All actors as this page knows them: rows by id, and their tree. Rows are changed in place, since
// thousands change in a second; views look at `changes` and `structure` to know when to look again.
import { signal } from '@preact/signals';
import type { ActorColumns, ActorId } from '#src/inspector/protocol.ts';

export interface Row {
  readonly id: ActorId;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** State value as JSON text. */
  state: string;
  /** Empty: it is a root. */
  parent: ActorId;
  since: number;
  restarts: number;
  isParked: boolean;
  mailbox: number;
}

/** Grows with every change of any row. A component that shows a row reads it itself: the row that
 *  it is given is the same one, so it would not be drawn again for its parent's sake. */
export const changes = signal(0);
/** Grows where rows came or went, or moved in the tree. */
export const structure = signal(0);

const byId = new Map<ActorId, Row>();
const children = new Map<ActorId, Row[]>();
/** Parents whose children are not in order. */
const unsorted = new Set<ActorId>();

export const rowOf = (id: ActorId): Row | undefined => byId.get(id);
export const rowCount = (): number => byId.size;
/** Ids that rows name as their parent, whether they are known or not. */
export const parents = (): Iterable<ActorId> => children.keys();
export const allRows = (): Iterable<Row> => byId.values();

/** In order of their names, numbers by their value. Of the empty id: the roots. */
export function childrenOf(id: ActorId): readonly Row[] {
  const found = children.get(id);
  if (found === undefined) return [];
  if (unsorted.delete(id)) {
    const keys = new Map(found.map((row) => [row, sortKey(row)]));
    found.sort((a, b) => ((keys.get(a) ?? '') < (keys.get(b) ?? '') ? -1 : 1));
  }
  return found;
}

const sortKey = ({ namespace, kind, name }: Row): string =>
  `${namespace} ${name.replaceAll(/\d+/g, (digits) => digits.padStart(6, '0'))} ${kind}`;

/** Instead of all that was known. */
export function replaceRows(columns: ActorColumns): void {
  byId.clear();
  children.clear();
  unsorted.clear();
  take(columns);
  structure.value++;
  changes.value++;
}

export function changeRows(columns: ActorColumns, gone: readonly ActorId[]): void {
  const isMoved = take(columns);
  for (const id of gone) remove(id);
  if (isMoved || gone.length > 0) structure.value++;
  changes.value++;
}

/** True where the tree is another one. */
function take(columns: ActorColumns): boolean {
  const { tables, name } = columns;
  let isMoved = false;
  for (let at = 0; at < name.length; at++) {
    const kind = cell(tables.kind, columns.kindAt, at);
    const namespace = cell(tables.namespace, columns.namespaceAt, at);
    const id = `${kind}/${namespace}/${name[at] ?? ''}`;
    const parent = cell(tables.parent, columns.parentAt, at);
    const fresh = {
      state: cell(tables.state, columns.stateAt, at),
      since: columns.since[at] ?? 0,
      restarts: columns.restarts[at] ?? 0,
      isParked: columns.parked[at] === 1,
      mailbox: columns.mailbox[at] ?? 0,
    };
    const known = byId.get(id);
    if (known === undefined) {
      const row: Row = { id, kind, namespace, name: name[at] ?? '', parent, ...fresh };
      byId.set(id, row);
      hang(row);
      isMoved = true;
    } else {
      Object.assign(known, fresh);
      if (known.parent !== parent) {
        unhang(known);
        known.parent = parent;
        hang(known);
        isMoved = true;
      }
    }
  }
  return isMoved;
}

const cell = (table: readonly string[], places: readonly number[], at: number): string =>
  table[places[at] ?? -1] ?? '';

function hang(row: Row): void {
  const siblings = children.get(row.parent);
  if (siblings === undefined) children.set(row.parent, [row]);
  else siblings.push(row);
  unsorted.add(row.parent);
}

function unhang(row: Row): void {
  const siblings = children.get(row.parent);
  const at = siblings?.indexOf(row) ?? -1;
  if (at >= 0) siblings?.splice(at, 1);
  if (siblings?.length === 0) children.delete(row.parent);
}

function remove(id: ActorId): void {
  const row = byId.get(id);
  if (row === undefined) return;
  byId.delete(id);
  unhang(row);
}
