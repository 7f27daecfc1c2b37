// Bounds of the admission server, in one place.

/** Largest body of a request: a review holds the new and the old object, each of up to 3 MB. */
export const maxBodyBytes = 7 * 1024 * 1024;

/** From the first byte of a request to its last. The API server itself waits 10 s at most. */
export const requestTimeoutMs = 10_000;

/** A connection without a request is kept longer than API servers keep theirs (90 s): else one that
 *  is closed in the moment of its next use fails an admission. */
export const keepAliveMs = 120_000;

/** Connections at once. API servers keep a few open each. */
export const maxConnections = 512;

/** How long requests under way may take to end when the server closes. */
export const closeTimeoutMs = 5_000;

/** How often certificates are looked at: the files, or the Secret. */
export const certificatePollMs = 15_000;

/** Within this time every replica has looked, and every API server has seen what was changed. */
export const overlapMs = 5 * 60_000;
