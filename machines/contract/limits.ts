// Bounds of what any behaviour says or keeps.

/** Characters of an error text or message that are kept. */
export const maxTextLength = 1_024;

/** Names or sentences listed in an answer to `why` or `state`. */
export const maxListed = 10;

/** The first of them, for a sentence. */
export const firstOf = (names: readonly string[], most = maxListed): string =>
  `${names.slice(0, most).join(', ')}${names.length > most ? ', ...' : ''}`;

/** Names listed in the message of a condition, which holds 32 KB. */
export const maxNamed = 100;

/** Failed writes that an actor remembers, and entries of `status.lastErrors`. */
export const maxErrors = 16;
