// Masks secrets in what is about to be logged: by the name of the field, and within texts by shape.
// Called for every field and message of a line by src/log/log.ts.
import type { Json } from '#machines/kubernetes/objects.ts';
import { mask, redactText, secretName } from '#machines/kubernetes/secret-text.ts';

/** Values deeper than this are not logged at all. */
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
