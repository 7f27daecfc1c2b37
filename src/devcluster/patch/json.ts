// JSON patch (RFC 6902) with errors as values: the operations are checked for shape first, so that
// a client learns which one is wrong and why.
import fastJsonPatch from 'fast-json-patch';
import type { Operation } from 'fast-json-patch';
import type { Json } from '#machines/kubernetes/objects.ts';
import { isRecord } from '../schema/record.ts';

export type PatchResult<T> = { readonly value: T } | { readonly error: string };

const needsValue = new Set(['add', 'replace', 'test']);
const needsFrom = new Set(['move', 'copy']);

/** Longer patches are refused, as kube-apiserver does. */
const maximumOperations = 10_000;

/** Applies the operations in order to a copy of the target; the first that fails ends it. */
export function jsonPatch(target: Json, operations: unknown): PatchResult<Json> {
  if (!Array.isArray(operations)) return { error: 'a JSON patch must be a list of operations' };
  if (operations.length > maximumOperations) {
    return {
      error: `the allowed maximum operations in a JSON patch is ${maximumOperations}, got ${operations.length}`,
    };
  }
  let document = structuredClone(target);
  for (const [index, raw] of operations.entries()) {
    const operation = decode(raw, index);
    if ('error' in operation) return operation;
    try {
      const meant = lenient(document, operation.value);
      document = fastJsonPatch.applyOperation(document, meant, true).newDocument;
    } catch (error) {
      return { error: `operation ${index} (${describe(operation.value)}): ${reason(error)}` };
    }
  }
  return { value: document };
}

/** A missing field of an object can be replaced, and copies as null, as in kube-apiserver. */
function lenient(document: Json, operation: Operation): Operation {
  const { op, path } = operation;
  if (op === 'replace' && isMissingField(document, path)) {
    return { op: 'add', path, value: operation.value };
  }
  if (op === 'copy' && isMissingField(document, operation.from)) {
    return { op: 'add', path, value: null };
  }
  return operation;
}

function isMissingField(document: Json, path: string): boolean {
  const slash = path.lastIndexOf('/');
  if (slash < 0) return false;
  const parent: unknown = fastJsonPatch.getValueByPointer(document, path.slice(0, slash));
  const name = fastJsonPatch.unescapePathComponent(path.slice(slash + 1));
  return isRecord(parent) && !Object.hasOwn(parent, name);
}

const describe = (operation: Operation): string =>
  `${operation.op} ${JSON.stringify(operation.path)}`;

/** The package prints the whole tree below its message; the first line says what is wrong. */
function reason(error: unknown): string {
  const name = isRecord(error) || error instanceof Error ? Reflect.get(error, 'name') : undefined;
  if (name === 'TEST_OPERATION_FAILED') return 'the test failed: the value there is another one';
  const message = error instanceof Error ? error.message : String(error);
  return message.split('\n', 1)[0] ?? message;
}

function decode(raw: unknown, index: number): PatchResult<Operation> {
  const at = `operation ${index}`;
  if (!isRecord(raw)) return { error: `${at}: must be an object with op and path` };
  const { op, path, from } = raw;
  if (typeof path !== 'string' || (path !== '' && !path.startsWith('/'))) {
    return { error: `${at}: path must be a JSON pointer such as "/spec/replicas"` };
  }
  if (op === 'remove') return { value: { op, path } };
  if (typeof op !== 'string' || !(needsValue.has(op) || needsFrom.has(op))) {
    return {
      error: `${at}: op must be one of add, remove, replace, move, copy, test; got ${JSON.stringify(op)}`,
    };
  }
  if (needsFrom.has(op)) {
    if (typeof from !== 'string') return { error: `${at}: ${op} needs "from", a JSON pointer` };
    return { value: { op: op === 'move' ? 'move' : 'copy', path, from } };
  }
  if (!Object.hasOwn(raw, 'value')) return { error: `${at}: ${op} needs "value"` };
  const { value } = raw;
  if (op === 'test') return { value: { op, path, value } };
  return { value: { op: op === 'add' ? 'add' : 'replace', path, value } };
}
