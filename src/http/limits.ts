// Bounds of the servers of a controller: plain HTTP (src/http/server.ts) and the admission webhooks
// (src/admission/server.ts). docs/configuration.md is written from these tables.

export interface ServerLimits {
  /** Connections at once; see src/http/connections.ts for which one has to go. */
  readonly connections: number;
  /** Of them, from one address. */
  readonly connectionsPerPeer: number;
  /** A younger connection may still send its first byte; an older one that has not goes first. */
  readonly helloMs: number;
  /** A younger connection does not go for one that comes, while there is an older one. */
  readonly graceMs: number;
  /** From the connection to the end of the TLS handshake; plain HTTP has none. */
  readonly handshakeMs: number;
  /** From the connection, or the first byte of a request, to the end of its header. */
  readonly headerMs: number;
  /** From the connection, or the first byte of a request, to its last. */
  readonly requestMs: number;
  /** From the end of an answer until the peer has taken it. */
  readonly sendMs: number;
  /** A connection between two requests. */
  readonly idleMs: number;
  /** How often header and request are looked at: they may last longer by this. */
  readonly checkMs: number;
  readonly headerBytes: number;
}

/** A probe or a scrape is sent and taken at once. */
export const plainLimits: ServerLimits = {
  connections: 256,
  connectionsPerPeer: 128,
  helloMs: 250,
  graceMs: 1_000,
  handshakeMs: 3_000,
  headerMs: 3_000,
  requestMs: 5_000,
  sendMs: 10_000,
  idleMs: 5_000,
  checkMs: 1_000,
  headerBytes: 8_192,
};

/** An API server keeps 25 idle connections and has at most some hundred requests under way. Idle
 *  ones are kept longer than it keeps them (90 s): else one that is closed in the moment of its
 *  next use fails an admission. */
export const admissionLimits: ServerLimits = {
  ...plainLimits,
  connections: 512,
  connectionsPerPeer: 384,
  idleMs: 120_000,
};

/** Requests at once of a path that costs more than a probe; the next is told to come later. */
export const costlyAtOnce = 4;
