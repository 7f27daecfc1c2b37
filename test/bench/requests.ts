// Counts of requests as the API server saw them, by "verb resource code", for one client, and what
// the benchmark derives from them.

export type RequestCounts = Readonly<Record<string, number>>;

const reading = new Set(['get', 'list', 'watch']);

const partsOf = (key: string): { verb: string; resource: string; code: string } => {
  const [verb = '', resource = '', code = ''] = key.split(' ');
  return { verb, resource, code };
};

/** Whether a key counts as a write: Events and Leases are counted apart. */
export function isWrite(key: string): boolean {
  const { verb, resource } = partsOf(key);
  return !reading.has(verb) && !resource.startsWith('events') && !resource.startsWith('leases');
}

const total = (counts: RequestCounts, keep: (key: string) => boolean): number =>
  Object.entries(counts).reduce((sum, [key, count]) => (keep(key) ? sum + count : sum), 0);

/** Everything that changes or tries to change an object, Events and Leases left out. */
export const writes = (counts: RequestCounts): number => total(counts, isWrite);

export const events = (counts: RequestCounts): number =>
  total(
    counts,
    (key) => !reading.has(partsOf(key).verb) && partsOf(key).resource.startsWith('events'),
  );

export const conflicts = (counts: RequestCounts): number =>
  total(counts, (key) => partsOf(key).code === '409');

/** What came on top since an earlier count; keys without a difference are left out. */
export function since(earlier: RequestCounts, now: RequestCounts): RequestCounts {
  const difference = Object.entries(now).map(
    ([key, count]) => [key, count - (earlier[key] ?? 0)] as const,
  );
  const grown = difference.filter(([, count]) => count !== 0);
  return Object.fromEntries(grown.toSorted(([a], [b]) => a.localeCompare(b)));
}

/** Both together. */
export const add = (some: RequestCounts, more: RequestCounts): RequestCounts =>
  Object.fromEntries(
    [...new Set([...Object.keys(some), ...Object.keys(more)])].map((key) => [
      key,
      (some[key] ?? 0) + (more[key] ?? 0),
    ]),
  );
