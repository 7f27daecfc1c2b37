// Which types of errors end by themselves, by the classes of their codes: docs/metrics.md says it,
// alerts go by it.
import { type ErrorCode, errorTable } from '#machines/contract/errors.ts';
import { errorTypeOf, errorTypes } from '#src/metrics/error-types.ts';

const isCode = (name: string): name is ErrorCode => Object.hasOwn(errorTable, name);
const codes = Object.keys(errorTable).filter(isCode);

/** The codes that are counted as this type. */
export const codesOf = (type: string): readonly ErrorCode[] =>
  codes.filter((code) => errorTypeOf[code] === type);

/** At least one code of these is not repeated: somebody has to change permissions, the object or
 *  the program. */
export const persistentErrorTypes: readonly string[] = errorTypes.filter((type) =>
  codesOf(type).some((code) => errorTable[code].class !== 'retry'),
);
