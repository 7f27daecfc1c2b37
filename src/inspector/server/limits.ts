// Bounds of the inspector, in one place: of its connections, of what one viewer may ask and be
// sent, and of what is kept between two requests. docs/inspector.md names them.
import { plainLimits, type ServerLimits } from '#src/http/limits.ts';

/** All viewers of a `kubectl port-forward` come from one address. */
export const inspectorLimits: ServerLimits = {
  ...plainLimits,
  connections: 512,
  connectionsPerPeer: 448,
  requestMs: 10_000,
  idleMs: 30_000,
  // With room for a token.
  headerBytes: 16_384,
};

/** Of a request. */
export const maxQueryLength = 2_048;
export const maxBodyBytes = 4_096;
export const maxReasonLength = 500;

/** Requests under way, streams aside; the next one is answered with THROTTLED. */
export const requestsAtOnce = 64;

/** Of one user: as many at once, refilled one by one. */
export const requestBurst = 200;
export const requestRefillMs = 20;

/** Reviews of tokens that are not known, of all who ask together. */
export const reviewBurst = 50;
export const reviewRefillMs = 100;

/** Users, and tokens, of which something is remembered. */
export const viewersKnown = 1_000;

/** Objects of which it is remembered that a user may look at them. */
export const objectsKnown = 1_000;

/** For so long a token and the rights of its user are not reviewed again; a stream is then. */
export const reviewedMs = 60_000;

/** A stream goes on without a review for so long while the API server gives none. */
export const unreviewedMs = 300_000;

/** Rights that one request asks for, and of them at once. */
export const rightsPerRequest = 1_000;
export const rightsAtOnce = 16;

/** Rows of a list: without `limit`, and with it. */
export const maxRows = 50_000;
export const maxPage = 1_000;

/** Facts of a list. */
export const usualFacts = 200;
export const maxFacts = 2_000;

/** Streams at once, and of them of one user. */
export const streamsAtOnce = 64;
export const streamsPerUser = 32;

/** From a change to the batch that tells of it. */
export const batchMs = 100;
/** After a batch that was full: nobody reads so many facts, and rows that change again and
 *  again are sent less often. */
export const crowdedBatchMs = 1_000;
/** To all viewers together: where batches are larger, or viewers many, the next one comes later, so
 *  that who looks takes little of what is looked at. */
export const sentBytesPerSecond = 4_000_000;
/** Added for each viewer who is sent a batch, as a write costs more than its bytes. */
export const sentToEachMs = 15;
/** It does not come later than this after the one before. */
export const longestBatchMs = 2_000;
/** Of one batch: more rows are listed anew, more facts are counted and not shown. */
export const rowsPerBatch = 5_000;
export const factsPerBatch = 500;
/** What a stream that continues may have missed: more is listed anew. */
export const factsMissed = 2_000;
/** Batches that wait for a review of rights. */
export const batchesWaiting = 20;

/** Between two signs of life of a stream. */
export const pingMs = 15_000;
/** A viewer that takes nothing for so long is cut off. */
export const stalledMs = 30_000;

/** Between two looks at the rows of other processes. */
export const othersMs = 5_000;
/** Of one that was just opened: what may have changed since its viewer listed. */
export const listedBeforeMs = 60_000;
/** For the answer of another process. */
export const otherMs = 3_000;
export const otherBytes = 33_554_432;

/** A text goes over the wire compressed from here on. */
export const compressedBytes = 1_024;
