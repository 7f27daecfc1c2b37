// Every bound and period of the kube edge in one place, with its reason. The transport, the
// reflectors and the writer read them; tests pass their own where they need smaller ones.

/** Objects per page of a list; client-go's default. */
export const listPageSize = 500;

/** One line of a watch is one object as JSON. etcd takes 1.5 MiB by default and may be configured
 *  to several; JSON is up to twice the size of what is stored. */
export const maxWatchLineBytes = 16 * 1024 * 1024;

/** So much of a watch is read before the event loop has a turn for others: objects of half a
 *  megabyte that come together are not all parsed in one. */
export const bytesPerTurn = 256 * 1024;

/** One page of a list: 500 objects of the usual sizes are far below. */
export const maxResponseBytes = 256 * 1024 * 1024;

/** Text of the server kept in an error message: goes to logs, events and conditions. */
export const maxErrorTextLength = 512;

/** Text of an Event, as events.k8s.io bounds it. */
export const maxEventNoteLength = 1024;

/**
 * Requests sent and not yet answered, over all kinds. The knee of the sweep in docs/benchmarks.md:
 * 500 replicas are created in 13.9 s with 32, 10.0 s with 64 and 9.9 s with 128.
 */
export const maxRequestsInFlight = 64;

/**
 * Sockets for requests, HTTP/1.1, one request at a time each. Measured with 32 requests of 2 KB in
 * flight to a server that takes 8 ms for each: 58 us of CPU per request, and 74 us and no gain in
 * time with one HTTP/2 connection.
 */
export const maxRequestSockets = maxRequestsInFlight;

/** Connect and TLS handshake. */
export const connectTimeoutMs = 10_000;

/** The server cancels a request after 60 s by itself and says so; wait for that answer. */
export const headersTimeoutMs = 65_000;

/** Longest pause between two pieces of an answer's body. */
export const bodyTimeoutMs = 30_000;

/** Idle sockets are closed before the server does (90 s), so none is used while it is closing. */
export const idleSocketMs = 55_000;

/** A page of a list that has no answer by then is given up, whatever the transport thinks. */
export const listPageTimeoutMs = 100_000;

/** The server ends a watch after this time (picked at random in between, so that the kinds do not
 *  move in step), and sends a bookmark shortly before. Short, so that silence means something. */
export const watchTimeoutSeconds = { least: 40, most: 50 } as const;

/** A watch without event, bookmark or end for this long is half open. */
export const watchSilenceMs = 55_000;

/** One that follows a failure has to prove itself within this time. */
export const provingWatchMs = 15_000;

/** A watch is to be ended by the server this long before it counts as silent. */
export const watchMarginMs = 5_000;

/** When nothing has proved for this long that we are up to date - a list, an event, a bookmark, or
 *  a watch that the server ended in good order - a list is taken: the way of watches may be dead
 *  while lists work. With the silence of the watch under way this is 55 s at most; an object is to
 *  be seen within 60 s. */
export const unprovenMs = 40_000;

/** The same where watches end in good order and tell nothing, not even a bookmark, as in quiet they
 *  may: nobody is known to withhold events and to end watches so. */
export const noNewsMs = 10 * 60_000;

/** Objects of a kind whose end is remembered, so that late events do not bring them back. */
export const maxEnds = 10_000;

/** A watch that ends sooner without one event counts as a failure, else it would be a hot loop. */
export const shortWatchMs = 1_000;

/** Refusals of a resumed watch in a row, after which a complete list is taken instead. */
export const maxResumeRefusals = 3;

/** Pauses after failures: exponential from first to most, each between half and all of it. Shorter
 *  where nobody answered: that costs no server anything, and its return shall be noticed soon. */
export const backOffMs = { first: 250, most: 10_000, unanswered: 5_000 } as const;

/** 403 and 404 (no right to read the kind, CRD not installed): a person must act first. */
export const missingKindRetryMs = 30_000;

/** The same where a write failed because its CRD is not installed: somebody waits for it, so for
 *  as long as such a write is worth repeating it is looked for this often. One small 404 each. */
export const wantedKindRetryMs = 500;
export const wantedKindMs = 90_000;

/** Retry-After of the server is obeyed up to this. */
export const maxRetryAfterMs = 300_000;

/** A write that the server refuses for its own late knowledge of the owner's kind is repeated after
 *  this time: it looks at its kinds again every 30 s. */
export const unmappedRetryMs = 5_000;

/** Where lists are older than what is known for this long, the server is taken to have been
 *  restored from a backup: longer than one may be behind another, and short enough for a process
 *  to end within a minute of its return
 *  (docs/decisions/0018-a-restored-server-ends-the-process.md). */
export const staleListLimitMs = 25_000;

/** All kinds are listed for the return of a server that was away no more often than this: on a bad
 *  network each list and each watch may find nobody there. */
export const returnPauseMs = 20_000;

/** A reply is in every cache by then; when the watch ran ahead of it, the end is told again. */
export const lateReplyMs = 1_000;

/** How often an object is read that lost the label by which it is watched: pauses double. After the
 *  longest one an object of others without that label is forgotten: a write that would give it the
 *  label is tried again sooner. */
export const unlabelledPauseMs = { first: 1_000, most: 60_000 } as const;

/** Tokens in files are looked at again after this time even when the file looks unchanged. */
export const tokenFileRereadMs = 60_000;

/** Credentials in use are not asked about again within this time: no file is looked at. */
export const credentialCheckMs = 1_000;

/** A credential plugin (an exec entry) has to answer within this time. */
export const credentialPluginTimeoutMs = 60_000;

/** A credential plugin prints at most this many characters: a token or a certificate. */
export const credentialPluginBytes = 256 * 1024;
