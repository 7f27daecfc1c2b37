// The one table of errors. A code says what happens next: `retry` is tried again with back-off,
// `terminal` waits for a change of the spec, `bug` crashes its actor and goes to the supervisor.
// docs/errors.md is held equal to this table by test/surface/written.test.ts.

/** What an error of this code causes next. */
export type ErrorClass = 'retry' | 'terminal' | 'bug';

interface ErrorRow {
  readonly class: ErrorClass;
  readonly meaning: string;
}

export const errorTable = {
  // -- answers of the API server --------------------------------------------------------------
  CONFLICT: { class: 'retry', meaning: '409: the resourceVersion or UID sent is not the live one' },
  ALREADY_EXISTS: { class: 'retry', meaning: '409: a foreign object has the name' },
  NOT_FOUND: {
    class: 'retry',
    meaning: '404: the object, or its namespace, does not exist',
  },
  GONE: { class: 'retry', meaning: '410: the resourceVersion or continue token is too old' },
  THROTTLED: { class: 'retry', meaning: '429: the server asks for a retry after Retry-After' },
  SERVER_ERROR: { class: 'retry', meaning: '5xx: the server or a webhook failed' },
  UNREACHABLE: { class: 'retry', meaning: 'no answer: connection refused, reset or timed out' },
  UNAUTHORIZED: {
    class: 'retry',
    meaning: '401: the credentials were refused; they are read again',
  },
  FORBIDDEN: { class: 'terminal', meaning: '403: RBAC, quota or a webhook denied the request' },
  INVALID: { class: 'terminal', meaning: '400 or 422: the object was refused by validation' },
  TOO_LARGE: { class: 'terminal', meaning: '413: the object is larger than the server accepts' },
  // -- ours -----------------------------------------------------------------------------------
  NOT_OWNER: {
    class: 'retry',
    meaning: 'the shard lease is not certainly held, so the request was not sent',
  },
  HISTORY_LOST: {
    class: 'retry',
    meaning: 'the API server was restored from a backup; the process exits to be restarted',
  },
  STOPPING: { class: 'retry', meaning: 'the process is shutting down and sends no new write' },
  MALFORMED: { class: 'terminal', meaning: 'an object or message lacks a required field' },
  ASSERTION: { class: 'bug', meaning: 'an impossible state occurred; the actor is restarted' },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** True where an error of this code is worth another attempt without a change of the spec. */
export const isRetryable = (code: ErrorCode): boolean => errorTable[code].class === 'retry';

/** An error that carries a code of the table and the object that it is about. */
export class CoppiceError extends Error {
  readonly code: ErrorCode;
  /** `kind/namespace/name` of what failed, or an empty string. */
  readonly key: string;

  constructor(code: ErrorCode, message: string, options: { key?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CoppiceError';
    this.code = code;
    this.key = options.key ?? '';
  }
}
