// A small breadth-first explorer of state graphs: it visits every state that moves lead to, and
// answers what one asks of a model. States are told apart by a key, so the caller decides what of a
// state matters.

export interface Move<S> {
  readonly name: string;
  readonly next: S;
}

export interface Graph<S> {
  readonly states: ReadonlyMap<string, S>;
  /** Keys reached by one move, with the move's name. */
  readonly edges: ReadonlyMap<string, readonly { readonly name: string; readonly to: string }[]>;
}

export interface Model<S> {
  readonly start: S;
  readonly keyOf: (state: S) => string;
  readonly movesOf: (state: S) => readonly Move<S>[];
  /** More states than this fail the exploration: the abstraction is too fine. */
  readonly limit: number;
}

export function explore<S>({ start, keyOf, movesOf, limit }: Model<S>): Graph<S> {
  const states = new Map<string, S>([[keyOf(start), start]]);
  const edges = new Map<string, { name: string; to: string }[]>();
  // A Map iterates over what is added meanwhile, so it is the queue too.
  for (const [key, state] of states) {
    const out: { name: string; to: string }[] = [];
    for (const { name, next } of movesOf(state)) {
      const to = keyOf(next);
      if (!states.has(to)) states.set(to, next);
      out.push({ name, to });
    }
    edges.set(key, out);
    if (states.size > limit) throw new Error(`more than ${limit} states`);
  }
  return { states, edges };
}

/** The states from which no path leads to one that is wanted. */
export function withoutWayTo<S>(graph: Graph<S>, isWanted: (state: S) => boolean): readonly S[] {
  const before = new Map<string, string[]>();
  for (const [from, out] of graph.edges) {
    for (const { to } of out) before.set(to, [...(before.get(to) ?? []), from]);
  }
  const reached = new Set([...graph.states].filter(([, s]) => isWanted(s)).map(([key]) => key));
  for (const key of reached) for (const from of before.get(key) ?? []) reached.add(from);
  return [...graph.states].filter(([key]) => !reached.has(key)).map(([, state]) => state);
}
