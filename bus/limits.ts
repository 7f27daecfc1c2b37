// Every bound of the bus in one place, named and with its reason. Nothing in bus/ may grow without
// one of these; who needs another value passes it in the options of the implementation.

const mebibyte = 1024 * 1024;

export const busLimits = {
  /** Of one encoded message. Far below the default `max_payload` of a server (1 MiB). */
  maxMessageBytes: 256 * 1024,
  /** Of ids, causes and trace ids. Ours have 20-30 characters. */
  maxIdLength: 256,
  /** Of one escaped subject token: a name of 253 characters, each of them escaped to three. */
  maxTokenLength: 1024,
  /** Of a whole subject. A server refuses protocol lines above 4096 bytes. */
  maxSubjectLength: 2048,
  /** Facts that wait for a connection, the latest per subject. */
  outboxMessages: 10_000,
  outboxBytes: 16 * mebibyte,
  /** How long a fact waits for others to leave with it, and the bytes that leave at once. */
  batchMs: 50,
  batchBytes: 32 * 1024,
  /** Bytes handed to the connection that no answered ping has confirmed. More of them wait in the
   *  outbox: a server that accepts nothing must not fill the memory of this process. */
  unconfirmedBytes: 8 * mebibyte,
  /** Questions being answered at the same time; the next one is answered with THROTTLED. */
  concurrentAsks: 256,
  /** Own questions without an answer yet; the next one is answered with THROTTLED at once. */
  outstandingAsks: 1024,
  /** For what the stream keeps of an actor, less than the owner of a shard has for an answer;
   *  messages that are fetched at a time, and actors that are read of at a time: of the next one
   *  only what the process remembers is told. */
  pastMs: 1_000,
  pastBatch: 500,
  pastReads: 4,
  /** Of the text in an error header of the micro service. */
  maxErrorText: 512,
  /** Shards are small integers; a subject with a larger number is not ours. */
  maxShard: 65_535,
} as const;
