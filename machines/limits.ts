// Bounds of what a machine will plan or keep, so that a hostile or mistaken spec cannot exhaust the
// process. What is refused is said in lastErrors and by `why`.

/** Replicas of one PodCliqueSet. */
export const maxReplicasPerSet = 50_000;

/** Pods of one PodClique: their names must fit into one PodGang (about 60 bytes each, 1.5 MiB). */
export const maxPodsPerClique = 10_000;

/** Entries of `status.lastErrors` and of the book behind it. */
export const maxErrors = 16;

/** Characters of an error text or message that are kept. */
export const maxTextLength = 1_024;

/** Names or sentences listed in an answer to `why` or `state`. */
export const maxListed = 10;

/** Asking and telling again between siblings, as a message may be lost. */
export const firstRepeatMs = 5_000;
export const lastRepeatMs = 60_000;

/** Replacing pods that end by themselves: the second within the window waits this long, then
 *  double each time. */
export const firstReplaceMs = 10_000;
export const lastReplaceMs = 300_000;
