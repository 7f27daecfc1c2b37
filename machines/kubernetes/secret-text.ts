// What looks like a secret: the names of fields that hold one, and shapes within any text, because
// errors quote requests. For mask.ts, which masks objects, and for log lines (src/log/redact.ts).
export const mask = '[redacted]';

/** Fields that hold a secret by their name; `tokenExpiry`, `secretName` and the like do not. */
export const secretName =
  /(?:^|[-_.a-z])(?:token|password|passwd|authorization|credentials?|private[-_]?key|key[-_]?data|nkey|seed|stringData)$/i;

/** `token=...`, `password: ...`, `"client-key-data":"..."`, as errors quote files and requests. */
const namedSecret =
  /(\b(?:[\w-]{0,40}[-_])?(?:token|password|passwd|api[-_]?key|secret[-_]?key|access[-_]?key|private[-_]?key|key[-_]data|client[-_]secret)\\?["']?\s?[=:]\s?\\?["']?)(?!\[redacted\])[^\s"'\\,;&}\])]{1,4096}/gi;

/**
 * Within a text: headers, JSON web tokens, a password in a URL, NATS seeds, PEM keys, keys of
 * clouds, and what is told by its name. Every repetition is bounded or begins where it can begin
 * once, so that a hostile text costs no time.
 */
const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/\bBearer\s+[\w.~+/-]+=*/gi, `Bearer ${mask}`],
  [/\b([Bb]asic)\s+(?=\S{0,256}[A-Z0-9])[\w+/]{8,}=*/g, `$1 ${mask}`],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, mask],
  [/(\b[a-z][\w+.-]{0,30}:\/\/[^\s:/@]{0,256}:)[^\s@/]{1,1024}@/gi, `$1${mask}@`],
  [/\bS[NCOAU][A-Z2-7]{56}\b/g, mask],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b|\bgh[oprsu]_\w{20,}/g, mask],
  [namedSecret, `$1${mask}`],
];

/** Longer texts are cut: neither a log line nor an answer is a dump. */
const maxText = 8_192;

/** Every shape has one of these: most texts have none, and are told from the others by one look. */
const mayHoldSecret =
  /bearer|basic|eyJ|:\/\/|\bS[NCOAU][A-Z2-7]{56}|PRIVATE KEY|AKIA|ASIA|gh[oprsu]_|token|passw|key|secret/i;

/** The text without secrets. */
export function redactText(text: string): string {
  let result = text.length > maxText ? `${text.slice(0, maxText)}...` : text;
  if (!mayHoldSecret.test(result)) return result;
  for (const [shape, replacement] of secretTexts) result = result.replace(shape, replacement);
  return result;
}
