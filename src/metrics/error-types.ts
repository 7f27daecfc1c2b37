// Maps the codes of the error table to the eight values that `error_type` of the operator's
// reconcile errors may have. Dashboards count on a bounded label.
import type { ErrorCode } from '#machines/contract/errors.ts';

export const errorTypeOf = {
  CONFLICT: 'conflict',
  ALREADY_EXISTS: 'conflict',
  GONE: 'conflict',
  NOT_FOUND: 'not_found',
  THROTTLED: 'throttled',
  SERVER_ERROR: 'server_error',
  UNREACHABLE: 'unreachable',
  UNAUTHORIZED: 'denied',
  FORBIDDEN: 'denied',
  INVALID: 'invalid',
  TOO_LARGE: 'invalid',
  MALFORMED: 'invalid',
  NOT_OWNER: 'internal',
  HISTORY_LOST: 'internal',
  STOPPING: 'internal',
  ASSERTION: 'internal',
} as const satisfies Record<ErrorCode, string>;

export const errorTypes = [...new Set(Object.values(errorTypeOf))];
