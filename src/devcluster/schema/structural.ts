// What a schema does to an object: defaults are filled in, unknown fields are pruned, wrong values
// are reported. The REST layer calls these on every write, for custom and for built-in kinds.
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import type { Schema } from '../contract.ts';
import { compile, compileObject } from './compile.ts';
import type { Node } from './compile.ts';
import { isRecord } from './record.ts';
import { validateNode } from './validate.ts';

/** Fills in the defaults of the schema, in place; a null without permission counts as absent. */
export function applyDefaults(schema: Schema, object: unknown): void {
  fillIn(compileObject(schema), object);
}

function fillIn(node: Node, value: unknown): void {
  if (!node.hasDefaultsBelow) return;
  if (Array.isArray(value)) {
    if (node.items === undefined) return;
    for (const item of value) fillIn(node.items, item);
  } else if (isRecord(value)) {
    for (const [name, fallback] of node.defaults) {
      const current = value[name];
      const isNull = current === null && node.fields.get(name)?.schema['nullable'] !== true;
      if (current === undefined || isNull) value[name] = structuredClone(fallback);
    }
    for (const name in value) {
      const child = node.fields.get(name) ?? node.rest;
      if (child !== undefined) fillIn(child, value[name]);
    }
  }
}

/**
 * Removes, in place, the fields that the schema does not know, and for built-in kinds those that
 * are null. Returns the paths of the unknown ones, e.g. `spec.template.cliques[0].rolName`.
 */
export function prune(schema: Schema, object: unknown): string[] {
  const unknown: string[] = [];
  sweep(compileObject(schema), object, [], { unknown, isDry: false });
  return unknown;
}

/** The same paths, without touching the object. */
export function unknownFields(schema: Schema, object: unknown): string[] {
  const unknown: string[] = [];
  sweep(compileObject(schema), object, [], { unknown, isDry: true });
  return unknown;
}

interface Sweep {
  readonly unknown: string[];
  readonly isDry: boolean;
}

function sweep(node: Node, value: unknown, path: (string | number)[], how: Sweep): void {
  if (isScalar(node)) return;
  if (Array.isArray(value)) {
    const { items } = node;
    if (items === undefined || isScalar(items)) return;
    for (let index = 0; index < value.length; index++) {
      path.push(index);
      sweep(items, value[index], path, how);
      path.pop();
    }
  } else if (isRecord(value)) {
    sweepFields(node, value, path, how);
  }
}

const isScalar = ({ type }: Node): boolean =>
  type !== 'object' && type !== 'array' && type !== 'any';

function sweepFields(
  node: Node,
  value: Record<string, unknown>,
  path: (string | number)[],
  how: Sweep,
): void {
  for (const name in value) {
    const child = node.fields.get(name) ?? node.rest;
    if (child !== undefined) {
      const field = value[name];
      if (field === null && node.native) {
        if (!how.isDry) delete value[name];
      } else if (typeof field === 'object') {
        path.push(name);
        sweep(child, field, path, how);
        path.pop();
      }
    } else if (!node.preserves) {
      how.unknown.push(print(path, name));
      if (!how.isDry) delete value[name];
    }
  }
}

const print = (path: readonly (string | number)[], name: string): string => {
  let text = '';
  for (const step of path) {
    text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  }
  return text === '' ? name : `${text}.${name}`;
};

/**
 * All violations of the schema, without rules (cel/validate.ts). Without a path the value is a
 * whole object; with one it is the part of an object that stands there.
 */
export const validate = (schema: Schema, value: unknown, path = ''): FieldError[] =>
  validateNode(path === '' ? compileObject(schema) : compile(schema), value, path);
