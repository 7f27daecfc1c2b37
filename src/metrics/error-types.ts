// Maps the codes of the error table to the eight values that `error_type` of the operator's
// reconcile errors may have. Dashboards count on a bounded label.
import { type ErrorCode, errorTable } from '#machines/contract/errors.ts';

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

const isCode = (name: string): name is ErrorCode => Object.hasOwn(errorTypeOf, name);

/** The codes that are counted as this type. */
export const codesOf = (type: string): readonly ErrorCode[] =>
  Object.keys(errorTypeOf)
    .filter(isCode)
    .filter((code) => errorTypeOf[code] === type);

export const errorTypes = [...new Set(Object.values(errorTypeOf))];

/** Of these at least one code is never repeated with success by itself: somebody has to change
 *  permissions, the object or the program. */
export const persistentErrorTypes: readonly string[] = errorTypes.filter((type) =>
  codesOf(type).some((code) => errorTable[code].class !== 'retry'),
);
