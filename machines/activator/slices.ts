// Which pods of a revision an activator sends requests to where several of them share the pods: so
// that together they do not give one pod more requests than its limit (spec activator
// 2.1.5).

export interface Sharing extends Place {
  /** Requests that one pod takes at once; 0: any number, so every activator may use every pod. */
  readonly limit: number;
}

export interface Place {
  /** That serve the revision. */
  readonly activators: number;
  /** Place of this one among them, by address; -1: it is not known to be one of them yet. */
  readonly place: number;
}

/** Addresses of the pods in this activator's slice, by address. All slices together are all pods;
 *  no two of them share one unless there are more activators than pods. */
export function sliceOf(
  dests: readonly string[],
  { limit, activators, place }: Sharing,
): readonly string[] {
  const sorted = dests.toSorted();
  const pods = sorted.length;
  if (limit === 0 || place < 0 || pods <= 1 || activators <= 1) return sorted;
  if (activators > pods) return sorted.slice(place % pods, (place % pods) + 1);
  const size = Math.floor(pods / activators);
  const left = pods % activators;
  const own = sorted.slice(place * size, (place + 1) * size);
  // What cannot be divided comes last, and goes to the first activators.
  const first = pods - left + place;
  return place < left ? [...own, ...sorted.slice(first, first + 1)] : own;
}
