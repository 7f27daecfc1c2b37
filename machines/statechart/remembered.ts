// What the rules of a reconcile all ask of the same list is found once: lists of a context are
// never changed. Without it a PodClique of a thousand pods looks at each of them a hundred times.

/** Of each list the last answer is kept. `find` may depend on nothing else. */
export function remembered<L extends object, B, R>(
  find: (list: L, by: B) => R,
): (list: L, by: B) => R {
  const known = new WeakMap<L, { readonly by: B; readonly found: R }>();
  return (list, by) => {
    const last = known.get(list);
    if (last !== undefined && last.by === by) return last.found;
    const found = find(list, by);
    known.set(list, { by, found });
    return found;
  };
}
