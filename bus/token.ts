// One token of a subject and any string, one to one. NATS gives `.`, `*`, `>` and white space a
// meaning, Kubernetes lets names hold dots: those are written as `%2E`, everything ordinary stays
// as it is, so that a subject can be read and typed. Called by subjects.ts alone.
import { busLimits } from './limits.ts';

const plain = /^[A-Za-z0-9_:-]+$/;
const special = /[^A-Za-z0-9_:-]/g;
const wellFormed = /^(?:[A-Za-z0-9_:-]|%[0-9A-F]{2}|%u[0-9A-F]{4})+$/;
const escapes = /%(?:u([0-9A-F]{4})|([0-9A-F]{2}))/g;

/** The empty string as a token; tokens themselves may not be empty. */
const empty = '%';

/** Any string as a token: `%XX` for a UTF-16 unit below 256, `%uXXXX` above, `%` for nothing. */
export function escapeToken(text: string): string {
  if (plain.test(text)) return text;
  return text === '' ? empty : text.replace(special, escapeUnit);
}

/** The string behind a token; undefined for what `escapeToken` would never have written. */
export function unescapeToken(token: string): string | undefined {
  if (token.length > busLimits.maxTokenLength) return undefined;
  if (plain.test(token)) return token;
  if (token === empty) return '';
  if (!wellFormed.test(token)) return undefined;
  const text = token.replace(escapes, (_, wide: string | undefined, narrow: string | undefined) =>
    String.fromCharCode(Number.parseInt(wide ?? narrow ?? '', 16)),
  );
  // One string has one token: `%41` for `A` is refused, or two subjects would mean one actor.
  return escapeToken(text) === token ? text : undefined;
}

// Without the `u` flag a match is one UTF-16 unit, so halves of a pair survive on their own too.
function escapeUnit(unit: string): string {
  const code = unit.charCodeAt(0);
  const hex = code.toString(16).toUpperCase();
  return code < 0x100 ? `%${hex.padStart(2, '0')}` : `%u${hex.padStart(4, '0')}`;
}
