// Bounds of the admission server, in one place.

/** Largest body of a request: an API server takes an object of 3 MiB, and stores one of 1.5 MiB. */
export const maxBodyBytes = 5 * 1024 * 1024;

/** From this size on bodies are parsed one at a time, with pauses. */
export const largeBodyBytes = 256 * 1024;

/** Pod specs and managed fields are nested some thirty deep. */
export const maxBodyDepth = 128;

/** How long an API server waits for an answer: the write that it asks about waits as long. */
export const webhookTimeoutMs = 5_000;

/** Our own part of it, so that the API server hears why there is no verdict. */
export const answerMs = 4_000;
export const lookupMs = 3_000;

/** How long requests under way may take to end when the server closes. */
export const closeTimeoutMs = 5_000;

/** How often certificates are looked at: the files, or the Secret. */
export const certificatePollMs = 15_000;

/** Within this time every replica has looked, and every API server has seen what was changed. */
export const overlapMs = 5 * 60_000;
