// Validation of a value against its schema, in kube-apiserver's words. structural.ts exports it to
// the REST layer; a value that passes costs no allocation but the walk.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import { compile } from './compile.ts';
import type { Node, NodeType } from './compile.ts';
import { isRecord } from './record.ts';

/** Where the walk is; written out only when there is something to report. */
class Walk {
  readonly path: (string | number)[] = [];
  readonly errors: FieldError[] = [];
  readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  readonly field = (): string => {
    let text = this.base;
    for (const step of this.path) {
      text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
    }
    return text;
  };
}

/** All errors of a value; `base` is the path that it stands at. */
export function validateNode(node: Node, value: unknown, base: string): FieldError[] {
  const walk = new Walk(base);
  visit(node, value, walk);
  return walk.errors;
}

const typeNameOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
};

function isOfType(type: NodeType, value: unknown): boolean {
  switch (type) {
    case 'any':
      return true;
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'int-or-string':
      return typeof value === 'string' || typeof value === 'number';
    default:
      return typeof value === type;
  }
}

function visit(node: Node, value: unknown, walk: Walk): void {
  if (value === null && node.nullable) return;
  if (!isOfType(node.type, value)) {
    const actual = typeNameOf(value);
    const expected = node.type === 'int-or-string' ? 'integer,string' : node.type;
    const field = walk.field();
    const detail = `${field} in body must be of type ${expected}: "${actual}"`;
    walk.errors.push({ type: 'FieldValueTypeInvalid', field, value: actual, detail });
    return;
  }
  if (isRecord(value)) visitObject(node, value, walk);
  else if (Array.isArray(value) && node.items !== undefined) visitItems(node.items, value, walk);
  for (const check of node.checks) {
    const finding = check(value, walk.field);
    if (finding === undefined) continue;
    const at = finding.index === undefined ? '' : `[${finding.index}]`;
    walk.errors.push({
      type: finding.type,
      field: walk.field() + at,
      value: 'value' in finding ? finding.value : value,
      detail: finding.detail,
    });
  }
  visitCombinations(node, value, walk);
}

function visitObject(node: Node, value: Record<string, unknown>, walk: Walk): void {
  for (const name of node.required) {
    const field = value[name];
    if (field !== undefined && !(field === null && node.native)) continue;
    walk.path.push(name);
    walk.errors.push({ type: 'FieldValueRequired', field: walk.field(), detail: '' });
    walk.path.pop();
  }
  for (const name in value) {
    const child = node.fields.get(name) ?? node.rest;
    const field = value[name];
    if (child === undefined || field === undefined) continue;
    walk.path.push(name);
    visit(child, field, walk);
    walk.path.pop();
  }
}

function visitItems(items: Node, list: readonly unknown[], walk: Walk): void {
  for (let index = 0; index < list.length; index++) {
    walk.path.push(index);
    visit(items, list[index], walk);
    walk.path.pop();
  }
}

const complaints = {
  anyOf: 'must validate at least one schema (anyOf)',
  oneOf: 'must validate one and only one schema (oneOf)',
  allOf: 'must validate all the schemas (allOf)',
  not: 'must not validate the schema (not)',
} as const;

/** anyOf, oneOf, allOf and not, which structural schemas use for values only. */
function visitCombinations(node: Node, value: unknown, walk: Walk): void {
  const { schema } = node;
  const { anyOf, oneOf, allOf, not } = schema;
  if (!anyOf && !oneOf && !allOf && !not) return;
  const passes = (candidate: unknown): boolean =>
    isRecord(candidate) && validateNode(compile(candidate), value, '').length === 0;
  const wrong: (keyof typeof complaints)[] = [];
  if (Array.isArray(anyOf) && !anyOf.some(passes)) wrong.push('anyOf');
  if (Array.isArray(oneOf) && oneOf.filter(passes).length !== 1) wrong.push('oneOf');
  if (Array.isArray(allOf) && !allOf.every(passes)) wrong.push('allOf');
  if (not !== undefined && passes(not)) wrong.push('not');
  for (const keyword of wrong) {
    const field = walk.field();
    const detail = `${field} in body ${complaints[keyword]}`;
    walk.errors.push({ type: 'FieldValueInvalid', field, value, detail });
  }
}
