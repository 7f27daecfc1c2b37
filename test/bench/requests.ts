// Counts of requests as the API server saw them, by "verb resource code", for one client, and what
// the benchmark derives from them.

export type RequestCounts = Readonly<Record<string, number>>;

const reading = new Set(['get', 'list', 'watch']);

const rows = (
  counts: RequestCounts,
): { verb: string; resource: string; code: string; count: number }[] =>
  Object.entries(counts).map(([key, count]) => {
    const [verb = '', resource = '', code = ''] = key.split(' ');
    return { verb, resource, code, count };
  });

const total = (
  counts: RequestCounts,
  keep: (row: ReturnType<typeof rows>[number]) => boolean,
): number => rows(counts).reduce((sum, row) => (keep(row) ? sum + row.count : sum), 0);

const isWrite = (row: { verb: string; resource: string }): boolean =>
  !reading.has(row.verb) &&
  !row.resource.startsWith('events') &&
  !row.resource.startsWith('leases');

/** Everything that changes or tries to change an object, Events and Leases left out. */
export const writes = (counts: RequestCounts): number => total(counts, isWrite);

export const events = (counts: RequestCounts): number =>
  total(counts, (row) => !reading.has(row.verb) && row.resource.startsWith('events'));

export const conflicts = (counts: RequestCounts): number =>
  total(counts, (row) => row.code === '409');

/** What came on top since an earlier count; keys without a difference are left out. */
export function since(earlier: RequestCounts, now: RequestCounts): RequestCounts {
  const difference = Object.entries(now).map(
    ([key, count]) => [key, count - (earlier[key] ?? 0)] as const,
  );
  return Object.fromEntries(
    difference.filter(([, count]) => count !== 0).toSorted(([a], [b]) => a.localeCompare(b)),
  );
}
