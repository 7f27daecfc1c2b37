// How an index is chosen: by a daemon for its first row, by one that finds its index shared, and by
// a central writer. Pure, so that the rounds of many daemons can be counted without a server.
import type { Random } from '#actors/ports.ts';
import { capacity, type Row } from './clique.ts';

type Placed = Pick<Row, 'nodeName' | 'index'>;

export interface Choice {
  readonly choice: 'lowest' | 'random';
  readonly hasTieBreak: boolean;
}

const all = Array.from({ length: capacity }, (_, index) => index);

function holders(rows: readonly Placed[]): ReadonlyMap<number, number> {
  const counts = new Map<number, number>();
  for (const { index } of rows) counts.set(index, (counts.get(index) ?? 0) + 1);
  return counts;
}

/** Indices that no row has. */
export function freeIndices(rows: readonly Placed[]): readonly number[] {
  const taken = holders(rows);
  return all.filter((index) => !taken.has(index));
}

/** The smallest that no row has; undefined when all are taken. */
export const lowestFree = (rows: readonly Placed[]): number | undefined => freeIndices(rows)[0];

export const randomOf = (indices: readonly number[], random: Random): number | undefined =>
  indices[Math.floor(random.next() * indices.length)];

/** For a daemon without a row. */
export const firstIndex = (rows: readonly Placed[], choice: Choice, random: Random) =>
  pick(rows, choice, random);

/** Where a daemon with this row goes, now that it sees these rows, its own among them. Undefined:
 *  it stays, since nobody shares its index or, with a tie-break, since it is the one that keeps
 *  it. */
export function nextIndex(
  rows: readonly Placed[],
  own: Placed,
  choice: Choice,
  random: Random,
): number | undefined {
  const sharers = rows.filter(({ index }) => index === own.index);
  if (sharers.length < 2) return undefined;
  const isFirst = sharers.every(({ nodeName }) => nodeName >= own.nodeName);
  if (choice.hasTieBreak && isFirst) return undefined;
  return pick(rows, choice, random);
}

/** Without a tie-break a random choice is among all that nobody has alone, shared ones included:
 *  with the last two daemons on one index and one index free, both would move to that for ever. */
function pick(
  rows: readonly Placed[],
  { choice, hasTieBreak }: Choice,
  random: Random,
): number | undefined {
  if (choice === 'lowest') return lowestFree(rows);
  if (hasTieBreak) return randomOf(freeIndices(rows), random);
  const taken = holders(rows);
  return randomOf(
    all.filter((index) => taken.get(index) !== 1),
    random,
  );
}
