// Masks secrets in what is about to be logged. By the name of the field, and within texts by shape,
// because errors quote requests. Called for every field of a line by src/log/log.ts.
import type { Json } from '#machines/objects.ts';

const mask = '[redacted]';

/** Fields that hold a secret by their name; `tokenExpiry`, `secretName` and the like do not. */
const secretName =
  /(?:^|[-_.a-z])(?:token|password|passwd|authorization|credentials?|private[-_]?key|key[-_]?data|nkey|seed|stringData)$/i;

/** Within a text: bearer tokens, JSON web tokens, a password in a URL, NATS seeds, PEM keys. */
const secretTexts: readonly (readonly [RegExp, string])[] = [
  [/\bBearer\s+[\w.~+/-]+=*/gi, `Bearer ${mask}`],
  [/\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, mask],
  [/(\b[a-z][\w+.-]*:\/\/[^\s:/@]*:)[^\s@/]+@/gi, `$1${mask}@`],
  [/\bS[NCOAU][A-Z2-7]{56}\b/g, mask],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, mask],
];

/** Values deeper than this are not logged at all: a log line is not a dump. */
const maxDepth = 6;

/** The value without secrets; `name` is the field that holds it. */
export function redact(value: Json, name: string, depth = 0): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (secretName.test(name)) return mask;
  if (typeof value === 'string') return redactText(value);
  if (depth >= maxDepth) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => redact(item, name, depth + 1));
  const isSecret = value['kind'] === 'Secret';
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      isSecret && key === 'data' ? mask : redact(item, key, depth + 1),
    ]),
  );
}

function redactText(text: string): string {
  let result = text;
  for (const [shape, replacement] of secretTexts) result = result.replace(shape, replacement);
  return result;
}
