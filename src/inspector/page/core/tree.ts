// The tree of actors as lines, in the order in which they are shown: what matches the filters, and
// above each match its parents.
import { signal } from '@preact/signals';
import { childrenOf, parents, type Row, rowOf } from './rows.ts';
import { readState, wordOfRow } from './states.ts';

export interface Filters {
  readonly kind: string;
  readonly namespace: string;
  /** Path of an active state, its last part, or the word that rows show. */
  readonly state: string;
  readonly isParked: boolean;
  /** Words; each is part of the id. */
  readonly text: string;
}

export interface Line {
  readonly row: Row;
  readonly depth: number;
  readonly hasChildren: boolean;
  readonly isOpen: boolean;
  /** False: it is there for what is below it. */
  readonly isMatch: boolean;
}

/** Rows whose children are not shown; replaced at each change. */
export const closed = signal<ReadonlySet<string>>(new Set());

export function toggle(id: string): void {
  const next = new Set(closed.value);
  if (!next.delete(id)) next.add(id);
  closed.value = next;
}

export const isFiltered = ({ kind, namespace, state, isParked, text }: Filters): boolean =>
  kind !== '' || namespace !== '' || state !== '' || isParked || text.trim() !== '';

export function flatten(filters: Filters, shut: ReadonlySet<string>): readonly Line[] {
  const matches = matcher(filters);
  const lines: Line[] = [];
  // Whether it or one below it matches; a parent that is not known makes a root of its child.
  const walk = (row: Row, depth: number): boolean => {
    const below = childrenOf(row.id);
    const isMatch = matches(row);
    const isOpen = !shut.has(row.id);
    const place = lines.length;
    lines.push({ row, depth, hasChildren: below.length > 0, isOpen, isMatch });
    let isWanted = isMatch;
    for (const child of below) isWanted = walk(child, depth + 1) || isWanted;
    if (!isWanted) lines.length = place;
    else if (!isOpen) lines.length = place + 1;
    return isWanted;
  };
  for (const root of childrenOf('')) walk(root, 0);
  for (const orphan of orphans()) walk(orphan, 0);
  return lines;
}

/** Rows whose parent is not here: of another process that does not answer, or not there yet. */
function* orphans(): Iterable<Row> {
  for (const parent of parents()) {
    if (parent !== '' && rowOf(parent) === undefined) yield* childrenOf(parent);
  }
}

function matcher({ kind, namespace, state, isParked, text }: Filters): (row: Row) => boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return (row) =>
    (kind === '' || row.kind === kind) &&
    (namespace === '' || row.namespace === namespace) &&
    (!isParked || row.isParked) &&
    words.every((word) => row.id.toLowerCase().includes(word)) &&
    (state === '' || isIn(row, state));
}

function isIn(row: Row, state: string): boolean {
  if (wordOfRow(row) === state) return true;
  const { paths, leaves } = readState(row.state);
  return paths.has(state) || leaves.some(({ name }) => name === state);
}
