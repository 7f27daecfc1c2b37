// Plain JSON values: a frozen copy of a message, so that no two actors share a mutable reference,
// and equality of two values as JSON, so that a status that says the same is not written again.
import { CoppiceError } from '#machines/errors.ts';
import { isObject } from '#machines/json.ts';
import type { Message } from '#machines/vocabulary.ts';

/**
 * A deep frozen copy of a message, as it would arrive over a wire: fields that are undefined are
 * left out. Anything that JSON cannot carry, or too much of it, is a bug of the sender (ASSERTION).
 */
export function copyMessage(message: Message, maxNodes: number): Message {
  const budget = { nodes: maxNodes };
  const type = message.type;
  return Object.freeze({ ...copyFields(message, type, budget), type });
}

function copyValue(value: unknown, path: string, budget: { nodes: number }): unknown {
  if (--budget.nodes < 0) refuse(path, 'the message is too large');
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      if (!Number.isFinite(value)) refuse(path, `${value} is not JSON`);
      return value;
    case 'object':
      break;
    default:
      refuse(path, `a ${typeof value} is not JSON`);
  }
  if (value === null) return null;
  if (Array.isArray(value)) {
    return Object.freeze(value.map((item, at) => copyValue(item, `${path}[${at}]`, budget)));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) refuse(path, 'only plain objects');
  return Object.freeze(copyFields(value, path, budget));
}

/** `fromEntries` makes a field of every name, `__proto__` too, where an assignment would not. */
function copyFields(
  value: object,
  path: string,
  budget: { nodes: number },
): Record<string, unknown> {
  const fields: [string, unknown][] = [];
  for (const [name, item] of Object.entries(value)) {
    if (item !== undefined) fields.push([name, copyValue(item, `${path}.${name}`, budget)]);
  }
  return Object.fromEntries(fields);
}

function refuse(path: string, what: string): never {
  throw new CoppiceError('ASSERTION', `message field ${path}: ${what}`);
}

/** Equal as JSON: the order of keys does not matter, a field that is undefined is not there. Builds
 *  no maps: statuses are compared at every plan. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, at) => isSame(item, b[at]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  return (
    Object.keys(a).every((name) => isSame(a[name], own(b, name))) &&
    Object.keys(b).every((name) => b[name] === undefined || own(a, name) !== undefined)
  );
}

const own = (object: Readonly<Record<string, unknown>>, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : undefined;
