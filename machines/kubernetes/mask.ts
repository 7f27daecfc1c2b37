// Masks what may hold a secret in objects, views and facts before anybody is shown them: values of
// environment variables and headers, data of Secrets, annotations that repeat an object, fields and
// arguments that are named like a secret, and what looks like one within any text. Called where a
// fact is noted (actors/history/ring.ts) and where a question is answered
// (actors/questions/answers.ts), so for the bus, the page and HTTPS alike; and by the plugin.
import { isObject } from './json.ts';
import type { Json, JsonObject } from './objects.ts';
import { mask, redactText, secretName } from './secret-text.ts';

/** Deeper than any object that the API server takes; it is not shown what lies there. */
const maxDepth = 64;

/** Lists of `{name, value}` whose values are the user's own. */
const listsOfValues = new Set(['env', 'httpHeaders', 'parameters']);

/** Annotations that repeat what is masked elsewhere. */
const repeating = /(?:^|[/.-])(?:last-applied-configuration|last-applied|original-spec)$/;

/** `--token`, `-password`: the next argument is one. */
const flagOfSecret =
  /^--?[\w.-]*?(?:token|passw(?:or)?d|passwd|api-?key|secret(?:-?key)?|credentials?)$/i;

/** The value as it may be shown; the one that was given stays as it is. */
export function masked(value: JsonObject): JsonObject;
export function masked(value: Json): Json;
export function masked(value: Json): Json {
  return maskedAt(value, '', 0);
}

function maskedAt(value: Json, name: string, depth: number): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value;
  if (secretName.test(name)) return mask;
  if (typeof value === 'string') return redactText(value);
  if (depth >= maxDepth) return mask;
  if (Array.isArray(value)) return maskedList(value, name, depth);
  return maskedObject(value, name, depth);
}

function maskedList(items: readonly Json[], name: string, depth: number): Json {
  const hasValues = listsOfValues.has(name);
  return items.map((item, index) => {
    const before = items[index - 1];
    if (typeof item === 'string' && typeof before === 'string' && flagOfSecret.test(before)) {
      return mask;
    }
    const shown = maskedAt(item, '', depth + 1);
    return hasValues && isObject(shown) && 'value' in shown ? { ...shown, value: mask } : shown;
  });
}

function maskedObject(value: JsonObject, name: string, depth: number): JsonObject {
  const isSecret = value['kind'] === 'Secret';
  const isNamedSecret = typeof value['name'] === 'string' && secretName.test(value['name']);
  const shown: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    const isHidden =
      (isSecret && (key === 'data' || key === 'stringData')) ||
      (isNamedSecret && key === 'value') ||
      (name === 'annotations' && repeating.test(key));
    const value = isHidden ? hidden(item) : maskedAt(item, key, depth + 1);
    // An ordinary key in what comes from the API server.
    if (key === '__proto__') Object.defineProperty(shown, key, { value, ...plain });
    else shown[key] = value;
  }
  return shown;
}

const plain = { enumerable: true, configurable: true, writable: true } as const;

/** The keys of a Secret are no secret. */
const hidden = (item: Json): Json =>
  isObject(item) ? Object.fromEntries(Object.keys(item).map((key) => [key, mask])) : mask;
