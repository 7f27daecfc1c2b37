// How much of an object is read, so that a hostile one cannot exhaust the process (size.ts).

/** Labels of a PodCliqueSet or clique, and as many annotations; its children have up to twice. */
export const maxMapEntries = 1_000;
/** Of them ours, which may come on top. */
export const maxOwnEntries = 16;

/** Values in the metadata or spec of an object: a spec of some 400 KB. */
export const maxNodes = 20_000;

/** Levels of lists and objects in a spec. */
export const maxDepth = 100;
