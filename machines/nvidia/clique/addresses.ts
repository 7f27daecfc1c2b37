// No two rows of a clique have one IP: peers make a map of IPs from them, and of two rows one would
// vanish. Used by decide.ts alone.
import type { Row } from '../objects/clique.ts';

/** A row that would take the IP of another one waits, and keeps the IP that it had. IPs that change
 *  hands among rows in one step are no conflict. */
export function withoutSharedAddresses(
  before: readonly Row[],
  wanted: readonly Row[],
): { readonly rows: readonly Row[]; readonly blocked: readonly string[] } {
  const had = new Map(before.map(({ nodeName, ipAddress }) => [nodeName, ipAddress]));
  const blocked = new Set<string>();
  let rows = wanted;
  for (;;) {
    const loser = conflictIn(rows, had, blocked);
    if (loser === undefined) return { rows, blocked: [...blocked] };
    blocked.add(loser);
    const old = had.get(loser) ?? '';
    rows = rows.map((row) =>
      row.nodeName === loser ? { ...row, ipAddress: old, status: 'NotReady' } : row,
    );
  }
}

/** A row that has changed its IP to one that another row has as well. Rows that nobody changed are
 *  left as they were found. */
function conflictIn(
  rows: readonly Row[],
  had: ReadonlyMap<string, string>,
  blocked: ReadonlySet<string>,
): string | undefined {
  const isChanged = ({ nodeName, ipAddress }: Row): boolean =>
    !blocked.has(nodeName) && had.get(nodeName) !== ipAddress;
  const holders = new Map<string, Row>();
  for (const row of rows.toSorted(
    (one, other) => Number(isChanged(one)) - Number(isChanged(other)),
  )) {
    if (row.ipAddress === '') continue;
    if (holders.has(row.ipAddress) && isChanged(row)) return row.nodeName;
    holders.set(row.ipAddress, row);
  }
  return undefined;
}
