// The JSONPath of CRD printer columns and scale paths: fields, quoted fields, indices, slices,
// wildcards, descent and filters such as `[?(@.type=="Ready")]`. Compiled once per text.
import { isEqual } from '#machines/kubernetes/json.ts';
import { isRecord } from './record.ts';

type Step = (values: readonly unknown[]) => unknown[];

/** A path that cannot be read; the text says where. */
export class JsonPathError extends Error {}

export type JsonPath = (root: unknown) => unknown[];

const compiled = new Map<string, JsonPath>();

/** All values at the path, in document order. Throws JsonPathError for a path that is none. */
export function jsonPath(text: string): JsonPath {
  let path = compiled.get(text);
  if (path === undefined) {
    const steps = parse(text);
    path = (root) => {
      let values: unknown[] = [root];
      for (const step of steps) values = step(values);
      return values;
    };
    compiled.set(text, path);
  }
  return path;
}

const token =
  /^(?:\.\.(?<deep>[\w-]+)|\.\*(?<star>)|\.(?<field>(?:\\.|[^.[\\])+)|\[(?<inner>(?:"[^"]*"|'[^']*'|\((?:"[^"]*"|'[^']*'|[^)"'])*\)|[^\]"'(])*)\])/;

function parse(text: string): Step[] {
  let rest = text
    .trim()
    .replace(/^\{(.*)\}$/, '$1')
    .replace(/^\$/, '');
  if (rest === '') throw new JsonPathError('the path is empty');
  if (!rest.startsWith('.') && !rest.startsWith('[')) rest = `.${rest}`;
  const steps: Step[] = [];
  while (rest !== '') {
    const match = token.exec(rest);
    if (match === null || match.groups === undefined) {
      throw new JsonPathError(`cannot read ${JSON.stringify(rest)} in ${JSON.stringify(text)}`);
    }
    const { deep, star, field, inner } = match.groups;
    if (deep !== undefined) steps.push(descend(deep));
    else if (star !== undefined) steps.push(everything);
    else if (field !== undefined) steps.push(fieldStep(field.replaceAll(/\\(.)/g, '$1')));
    else if (inner !== undefined) steps.push(bracket(inner.trim(), text));
    rest = rest.slice(match[0].length);
  }
  return steps;
}

const fieldStep =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => (isRecord(value) && value[name] !== undefined ? [value[name]] : []));

const everything: Step = (values) =>
  values.flatMap((value): unknown[] => {
    if (Array.isArray(value)) return value;
    return isRecord(value) ? Object.values(value) : [];
  });

const descend =
  (name: string): Step =>
  (values) => {
    const found: unknown[] = [];
    const visit = (value: unknown): void => {
      if (isRecord(value) && value[name] !== undefined) found.push(value[name]);
      for (const child of everything([value])) visit(child);
    };
    values.forEach(visit);
    return found;
  };

function bracket(inner: string, text: string): Step {
  if (inner === '*') return everything;
  const quoted = /^(?:'([^']*)'|"([^"]*)")$/.exec(inner);
  if (quoted !== null) return fieldStep(quoted[1] ?? quoted[2] ?? '');
  if (inner.startsWith('?(') && inner.endsWith(')')) return filter(inner.slice(2, -1), text);
  const bounds = inner.split(':').map((part) => part.trim());
  if (bounds.length <= 3 && bounds.every((part) => /^-?\d*$/.test(part)) && inner !== '') {
    return bounds.length === 1 ? index(Number(inner)) : slice(bounds);
  }
  throw new JsonPathError(`cannot read [${inner}] in ${JSON.stringify(text)}`);
}

const index =
  (at: number): Step =>
  (values) =>
    values.flatMap((value) => {
      const item: unknown = Array.isArray(value) ? value.at(at) : undefined;
      return item === undefined ? [] : [item];
    });

function slice([from = '', to = '', by = '']: readonly string[]): Step {
  const start = from === '' ? 0 : Number(from);
  const end = to === '' ? undefined : Number(to);
  const step = by === '' ? 1 : Math.max(1, Number(by));
  return (values) =>
    values.flatMap((value): unknown[] =>
      Array.isArray(value) ? value.slice(start, end).filter((_, at) => at % step === 0) : [],
    );
}

const comparisons: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  '==': isEqual,
  '!=': (a, b) => !isEqual(a, b),
  '<': (a, b) => ordered(a, b, (x, y) => x < y),
  '<=': (a, b) => ordered(a, b, (x, y) => x <= y),
  '>': (a, b) => ordered(a, b, (x, y) => x > y),
  '>=': (a, b) => ordered(a, b, (x, y) => x >= y),
};

function ordered(
  a: unknown,
  b: unknown,
  compare: (x: number | string, y: number | string) => boolean,
): boolean {
  if (typeof a === 'number' && typeof b === 'number') return compare(a, b);
  return typeof a === 'string' && typeof b === 'string' && compare(a, b);
}

/** `@.type=="Ready"`, or `@.type` for "has a type". */
function filter(expression: string, text: string): Step {
  const match = /^\s*@([^\s=<>!]*)\s*(?:(==|!=|<=|>=|<|>)\s*(.+?)\s*)?$/.exec(expression);
  if (match === null)
    throw new JsonPathError(`cannot read ?(${expression}) in ${JSON.stringify(text)}`);
  const [, place = '', operator, operand] = match;
  const left: JsonPath = place === '' ? (root) => [root] : jsonPath(place);
  const compare = operator === undefined ? undefined : comparisons[operator];
  const right = operand === undefined ? undefined : literal(operand, text);
  const holds = (item: unknown): boolean => {
    const found = left(item);
    if (compare === undefined) return found.length > 0;
    return found.some((value) => compare(value, right));
  };
  return (values) =>
    values.flatMap((value): unknown[] => (Array.isArray(value) ? value.filter(holds) : []));
}

function literal(operand: string, text: string): unknown {
  const quoted = /^'([^']*)'$/.exec(operand);
  if (quoted !== null) return quoted[1];
  try {
    const value: unknown = JSON.parse(operand);
    return value;
  } catch {
    throw new JsonPathError(`cannot read the value ${operand} in ${JSON.stringify(text)}`);
  }
}
