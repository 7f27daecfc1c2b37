// What the rules of a reconcile all ask of the same object or list is found once: nothing in a
// context is ever changed. Without it a PodClique of a thousand pods looks at each a hundred times.

/** Of each object the last answer is kept. `find` may depend on nothing else. */
export function remembered<O extends object, B, R>(find: (of: O, by: B) => R): (of: O, by: B) => R {
  const known = new WeakMap<O, { readonly by: B; readonly found: R }>();
  return (of, by) => {
    const last = known.get(of);
    if (last !== undefined && last.by === by) return last.found;
    const found = find(of, by);
    known.set(of, { by, found });
    return found;
  };
}
