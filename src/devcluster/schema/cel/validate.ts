// CEL validation rules (x-kubernetes-validations) of custom kinds. The REST layer calls
// validateRules after the structure was found right; crd.ts asks ruleDefects when a CRD is created.
import { Optional } from '@marcbachmann/cel-js';
import type { FieldError } from '#machines/kubernetes/field-errors.ts';
import type { Schema } from '../../contract.ts';
import { compile, compileObject } from '../compile.ts';
import type { Node } from '../compile.ts';
import { isRecord } from '../record.ts';
import { rulesOf, selfPaths } from './rules.ts';
import type { Rule, RuleDefect } from './rules.ts';
import { escapeName, toCel } from './values.ts';

/**
 * The rules that the object breaks. `live` is the object before an update: rules about oldSelf are
 * skipped without it, and for parts that have no counterpart in it.
 */
export function validateRules(schema: Schema, object: unknown, live: unknown): FieldError[] {
  const errors: FieldError[] = [];
  visit(compileObject(schema), object, live ?? undefined, '', errors);
  return errors;
}

/** True where a rule stands anywhere in the schema. */
export const hasRules = (schema: Schema): boolean => compileObject(schema).hasRulesBelow;

function visit(node: Node, value: unknown, old: unknown, path: string, errors: FieldError[]): void {
  if (!node.hasRulesBelow || value === null || value === undefined) return;
  const { rules } = rulesOf(node.schema);
  if (rules.length > 0) checkRules(node, rules, { value, old, path }, errors);
  if (Array.isArray(value)) visitItems(node, value, old, path, errors);
  else if (isRecord(value)) {
    const before = isRecord(old) ? old : {};
    for (const [name, field] of Object.entries(value)) {
      const child = node.fields.get(name) ?? node.rest;
      if (child === undefined) continue;
      const at = node.fields.has(name) ? join(path, name) : `${path}[${name}]`;
      visit(child, field, before[name], at, errors);
    }
  }
}

const join = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Only the items of a map list can be told to be the same as before. */
function visitItems(
  node: Node,
  list: readonly unknown[],
  old: unknown,
  path: string,
  errors: FieldError[],
): void {
  const { items } = node;
  if (items === undefined) return;
  const keys = node.schema['x-kubernetes-list-map-keys'];
  const names = Array.isArray(keys) ? keys.map(String) : [];
  const identity = (item: unknown): string =>
    JSON.stringify(names.map((name) => (isRecord(item) ? item[name] : undefined)));
  const before = new Map<string, unknown>();
  if (names.length > 0 && Array.isArray(old))
    for (const item of old) before.set(identity(item), item);
  for (const [index, item] of list.entries()) {
    visit(items, item, before.get(identity(item)), `${path}[${index}]`, errors);
  }
}

interface Place {
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
}

function checkRules(node: Node, rules: readonly Rule[], place: Place, errors: FieldError[]): void {
  const self = toCel(node, place.value);
  let before: unknown;
  for (const rule of rules) {
    if (rule.isTransition && place.old === undefined && !rule.optionalOldSelf) continue;
    if (rule.isTransition && before === undefined && place.old !== undefined) {
      before = toCel(node, place.old);
    }
    const oldSelf = rule.optionalOldSelf ? Optional.of(before) : before;
    const context = rule.isTransition ? { self, oldSelf } : { self };
    const error = checkRule(node, rule, context, place);
    if (error !== undefined) errors.push(error);
  }
}

function checkRule(
  node: Node,
  rule: Rule,
  context: Record<string, unknown>,
  { path, value }: Place,
): FieldError | undefined {
  const field = path === '' ? rule.fieldPath.replace(/^\./, '') : path + rule.fieldPath;
  try {
    if (rule.evaluate(context) === true) return undefined;
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    const detail = `${reason} evaluating rule: ${rule.message || rule.text}`;
    return { type: 'FieldValueInvalid', field, value: node.type, detail };
  }
  const detail = messageOf(rule, context);
  switch (rule.reason) {
    case 'FieldValueRequired':
    case 'FieldValueForbidden':
      return { type: rule.reason, field, detail };
    default:
      return { type: rule.reason, field, ...shown(node, value), detail };
  }
}

/** Objects and lists are not told again. */
const shown = ({ type }: Node, value: unknown): { value?: unknown } =>
  type === 'object' || type === 'array' ? {} : { value };

function messageOf(rule: Rule, context: Record<string, unknown>): string {
  if (rule.messageOf !== undefined) {
    try {
      const text: unknown = rule.messageOf(context);
      if (typeof text === 'string' && text.trim() !== '' && !text.includes('\n'))
        return text.trim();
    } catch {
      // A message that cannot be made is replaced by the fixed one.
    }
  }
  return rule.message.trim() || `failed rule: ${rule.text.trim()}`;
}

/** What is wrong with the rules of a schema node itself: they do not compile, or name no field. */
export function ruleDefects(schema: Schema): readonly RuleDefect[] {
  const { rules, defects } = rulesOf(schema);
  const node = compile(schema);
  const unknown = rules.flatMap((rule, index): RuleDefect[] => {
    const missing = selfPaths(rule.evaluate.ast).find((path) => !exists(node, path));
    if (missing === undefined) return [];
    const detail = `compilation failed: undefined field '${missing.at(-1) ?? ''}'`;
    return [{ index, keyword: 'rule', value: rule.text, detail }];
  });
  return [...defects, ...unknown];
}

function exists(node: Node, path: readonly string[]): boolean {
  let current = node;
  for (const step of path) {
    if (current.preserves || current.type === 'any') return true;
    const named = [...current.fields].find(([name]) => escapeName(name) === step)?.[1];
    const next = named ?? current.rest;
    if (next === undefined) return false;
    current = next;
  }
  return true;
}
