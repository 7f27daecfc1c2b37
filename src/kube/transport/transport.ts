// The wire between Coppice and an API server, as a type: real HTTPS (src/kube/transport/http.ts)
// and the embedded cluster in-process (src/devcluster/transport.ts) implement it, so the reflectors
// and writers above are the same code under test and in production.

export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with the query, e.g. `/api/v1/namespaces/default/pods?limit=500`. */
  readonly path: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** Serialised by the transport. */
  readonly body?: unknown;
  readonly signal?: AbortSignal;
  /** Asked at the last moment before it is put on the wire. False: it rejects with NotWanted and is
   *  never sent, however long it waited for a socket, for credentials or for a turn of the loop. */
  readonly isWanted?: () => boolean;
}

/** The request was not sent, because nobody wanted it any more. */
export class NotWanted extends Error {
  constructor() {
    super('the request was not wanted any more when its turn came');
    this.name = 'NotWanted';
  }
}

export interface KubeResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Parsed JSON; a string where the answer was not JSON. */
  readonly body: unknown;
}

/** A watch: one event per line as parsed JSON, in order; `closed` exactly once, last. */
export interface WatchSink {
  /** Asked when an object is added or changed, before the line is parsed, where its version can be
   *  told without. True: that is known already, and `event` is not called. */
  readonly isEcho?: (version: string) => boolean;
  readonly event: (event: { readonly type: string; readonly object: unknown }) => void;
  readonly closed: (reason: WatchEnd) => void;
}

export type WatchEnd =
  /** The server refused to start it: HTTP status and Status object. */
  | { readonly kind: 'refused'; readonly response: KubeResponse }
  /** The stream ended, broke or could not be opened. */
  | { readonly kind: 'ended'; readonly error?: unknown }
  /** The caller closed it. */
  | { readonly kind: 'aborted' };

export interface KubeTransport {
  /** Rejects only when there was no answer (refused, reset, timed out, aborted). */
  request(request: KubeRequest): Promise<KubeResponse>;
  /** Returns at once; the returned function closes the watch. */
  watch(path: string, sink: WatchSink): () => void;
}
