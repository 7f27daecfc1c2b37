// JSON as CEL sees it: integers are 64-bit, times are timestamps, and field names that CEL cannot
// spell are escaped as Kubernetes does. Only validate.ts and its tests use it.
import type { Node } from '../compile.ts';
import { isRecord } from '../record.ts';

/** CEL's reserved words, which a field of that name is escaped for. */
const reserved = new Set(
  (
    'true false null in as break const continue else for function if import let loop package ' +
    'namespace return var void while'
  ).split(' '),
);

/** The name of a field in a rule: `a-b` is `a__dash__b`, `in` is `__in__`. */
export function escapeName(name: string): string {
  if (reserved.has(name)) return `__${name}__`;
  if (!/__|[-./]/.test(name)) return name;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('-', '__dash__')
    .replaceAll('.', '__dot__')
    .replaceAll('/', '__slash__');
}

/** The CEL value of a JSON value that has the shape of the node's schema. */
export function toCel(node: Node, value: unknown): unknown {
  if (typeof value === 'number') return numberOf(node, value);
  if (typeof value === 'string') return textOf(node, value);
  if (Array.isArray(value)) {
    const { items } = node;
    return value.map((item: unknown) => (items === undefined ? loose(item) : toCel(items, item)));
  }
  if (!isRecord(value)) return value;
  const result: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(value)) {
    const declared = node.fields.get(name);
    if (declared !== undefined) result[escapeName(name)] = toCel(declared, field);
    else result[name] = node.rest === undefined ? loose(field) : toCel(node.rest, field);
  }
  return result;
}

const numberOf = (node: Node, value: number): unknown =>
  node.type === 'number' || !Number.isSafeInteger(value) ? value : BigInt(value);

function textOf(node: Node, value: string): unknown {
  const { format } = node.schema;
  if (node.type !== 'string' || (format !== 'date-time' && format !== 'date')) return value;
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? value : time;
}

/** A value without a schema: whole numbers count as integers. */
function loose(value: unknown): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(loose);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, loose(field)]));
}
