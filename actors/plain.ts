// A frozen copy of a message, so that no two actors share a mutable reference.
import { CoppiceError } from '#machines/errors.ts';
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
