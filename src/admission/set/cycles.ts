// Finds the cliques that wait for each other: the strongly connected components of the graph of
// startsAfter, by Tarjan's algorithm without recursion, so that no manifest is too deep for it.

interface Visit {
  readonly name: string;
  readonly index: number;
  low: number;
  next: number;
}

/** Names seen whose component is not complete, in the order in which they were seen. */
interface Open {
  readonly names: Set<string>;
  readonly stack: string[];
}

/**
 * Names that reach each other, each group sorted, groups sorted by their first name. A name that
 * only waits for itself is no group; names that are not keys are passed over.
 */
export function cyclesOf(
  parents: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] {
  const visits = new Map<string, Visit>();
  const open: Open = { names: new Set(), stack: [] };
  const found: (readonly string[])[] = [];
  for (const start of parents.keys()) {
    if (visits.has(start)) continue;
    const path: Visit[] = [enter(start, visits, open)];
    for (let here = path.at(-1); here !== undefined; here = path.at(-1)) {
      const name = (parents.get(here.name) ?? [])[here.next++];
      if (name === undefined) {
        path.pop();
        const above = path.at(-1);
        if (above !== undefined) above.low = Math.min(above.low, here.low);
        if (here.low === here.index) found.push(leave(here.name, open));
        continue;
      }
      const seen = visits.get(name);
      if (seen === undefined && parents.has(name)) path.push(enter(name, visits, open));
      else if (seen !== undefined && open.names.has(name))
        here.low = Math.min(here.low, seen.index);
    }
  }
  return found
    .filter((names) => names.length > 1)
    .map((names) => names.toSorted())
    .toSorted((a, b) => ((a[0] ?? '') < (b[0] ?? '') ? -1 : 1));
}

function enter(name: string, visits: Map<string, Visit>, open: Open): Visit {
  const visit = { name, index: visits.size, low: visits.size, next: 0 };
  visits.set(name, visit);
  open.names.add(name);
  open.stack.push(name);
  return visit;
}

/** Takes the component of which `root` was seen first off the open names. */
function leave(root: string, open: Open): readonly string[] {
  const component = open.stack.splice(open.stack.lastIndexOf(root));
  for (const name of component) open.names.delete(name);
  return component;
}
