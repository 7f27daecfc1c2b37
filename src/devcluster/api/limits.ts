// Every bound of the embedded API server, in one place. The values are Kubernetes' own where it has
// one; the comment says so where they differ.

/** Bytes of a request body; more is answered with 413. */
export const requestBytesLimit = 3 * 1024 * 1024;

/** Levels of a JSON body; more is answered with 400. Kubernetes has 10,000. */
export const depthLimit = 1_000;

/** Changes kept per resource for watches, old lists and continue tokens; older ones are 410. */
export const changeLogLimit = 10_000;

/** How often changes are forgotten that are older than this, as etcd's compaction has it. */
export const compactEveryMs = 5 * 60_000;

/** Objects whose JSON text is kept for the next reader; up to twice as many. */
export const textsKept = 1500;

/** How often a watch that asked for bookmarks gets one, give or take a quarter. */
export const bookmarkEveryMs = 60_000;

/** A watch without timeoutSeconds ends after this time plus up to as much again. */
export const watchTimeoutMs = 30 * 60_000;

/** Bytes that may wait in the socket of a watcher that does not read; then it is closed. */
export const watchBacklogBytes = 16 * 1024 * 1024;

/** Attempts of a patch that was overtaken by another write while a webhook was asked. */
export const writeAttempts = 5;

/** Attempts to find a free name for `generateName`. */
export const nameAttempts = 8;

/** Longest `generateName` prefix that is used, so that the name stays within 63 characters. */
export const generatePrefixLimit = 58;

/** Events are forgotten after this time, as `--event-ttl` of kube-apiserver has it. */
export const eventTtlMs = 60 * 60_000;

/** Life of a token that was asked for without expirationSeconds, and the shortest one allowed. */
export const tokenSeconds = 3600;
export const tokenSecondsLeast = 600;
