// Bounds of the question server and of questions that are handed on over HTTPS, in one place. The
// bytes of an answer are those of the bus (bus/limits.ts).
import { plainLimits, type ServerLimits } from '#src/http/limits.ts';

/** As plain HTTP, but with room for a token. */
export const questionLimits: ServerLimits = { ...plainLimits, headerBytes: 16_384 };

/** Questions under way; the next one is answered with THROTTLED. */
export const questionsAtOnce = 32;

/** Of them, those that wait for another process. Fewer, so that processes that hand on to each
 *  other always have room to answer. */
export const handedOnAtOnce = 16;

/** For both reviews of whoever asks; less than a process waits that has handed the question on. */
export const reviewMs = 1_500;

/** Of a namespace or a name: the longest that the API has. */
export const maxNameLength = 253;

/** How long questions under way may take to end when the server closes. */
export const closeTimeoutMs = 3_000;
