// Bounds of what any behaviour says or keeps.

/** Characters of an error text or message that are kept. */
export const maxTextLength = 1_024;

/** Names or sentences listed in an answer to `why` or `state`. */
export const maxListed = 10;

/** Names listed in the message of a condition, which holds 32 KB. */
export const maxNamed = 100;

/** Failed writes that an actor remembers, and entries of `status.lastErrors`. */
export const maxErrors = 16;
