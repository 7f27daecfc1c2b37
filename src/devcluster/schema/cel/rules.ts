// The x-kubernetes-validations of one schema node, compiled once: what each rule says, and what is
// wrong with those that do not compile.
import type { ASTNode, ParseResult } from '@marcbachmann/cel-js';
import type { FieldErrorType } from '#machines/kubernetes/field-errors.ts';
import type { Schema } from '../../contract.ts';
import { listAt, textAt, valueAt } from '../record.ts';
import { environments } from './environment.ts';

export interface Rule {
  readonly text: string;
  readonly message: string;
  readonly reason: FieldErrorType;
  /** `.pack.required`, relative to the node. */
  readonly fieldPath: string;
  /** Mentions oldSelf: only checked where there is an old value, unless that is optional. */
  readonly isTransition: boolean;
  readonly optionalOldSelf: boolean;
  readonly evaluate: ParseResult;
  readonly messageOf: ParseResult | undefined;
}

/** A rule that does not compile; `keyword` is the member that is wrong. */
export interface RuleDefect {
  readonly index: number;
  readonly keyword: 'rule' | 'messageExpression' | 'reason';
  readonly value: string;
  readonly detail: string;
}

interface Compiled {
  readonly rules: readonly Rule[];
  readonly defects: readonly RuleDefect[];
}

const reasons: Readonly<Record<string, FieldErrorType>> = {
  '': 'FieldValueInvalid',
  FieldValueInvalid: 'FieldValueInvalid',
  FieldValueForbidden: 'FieldValueForbidden',
  FieldValueRequired: 'FieldValueRequired',
  FieldValueDuplicate: 'FieldValueDuplicate',
};

const cache = new WeakMap<Schema, Compiled>();

/** The rules of a node's own schema. */
export function rulesOf(schema: Schema): Compiled {
  let compiled = cache.get(schema);
  if (compiled === undefined) {
    compiled = compileAll(schema);
    cache.set(schema, compiled);
  }
  return compiled;
}

function compileAll(schema: Schema): Compiled {
  const rules: Rule[] = [];
  const defects: RuleDefect[] = [];
  for (const [index, raw] of listAt(schema, 'x-kubernetes-validations').entries()) {
    const complain = (keyword: RuleDefect['keyword'], value: string, detail: string): void => {
      defects.push({ index, keyword, value, detail });
    };
    const rule = compileRule(raw, complain);
    if (rule !== undefined) rules.push(rule);
  }
  return { rules, defects };
}

type Complain = (keyword: RuleDefect['keyword'], value: string, detail: string) => void;

function compileRule(raw: unknown, complain: Complain): Rule | undefined {
  const text = textAt(raw, 'rule');
  const optionalOldSelf = valueAt(raw, 'optionalOldSelf') === true;
  const environment = optionalOldSelf ? environments.optional : environments.plain;
  const compile = (source: string, keyword: 'rule' | 'messageExpression', type: string) => {
    const fail = (detail: string): undefined => {
      complain(keyword, source, `compilation failed: ${detail}`);
      return undefined;
    };
    try {
      const parsed = environment.parse(source);
      const checked = parsed.check();
      if (!checked.valid) return fail(firstLine(checked.error));
      if (checked.type !== type && checked.type !== 'dyn') {
        return fail(
          `must evaluate to ${type === 'bool' ? 'a bool' : 'a string'}, not ${checked.type}`,
        );
      }
      return parsed;
    } catch (error) {
      return fail(firstLine(error));
    }
  };
  if (text.trim() === '') {
    complain('rule', text, 'rule is not specified');
    return undefined;
  }
  const reason = reasons[textAt(raw, 'reason')];
  if (reason === undefined) {
    const known = Object.keys(reasons).filter((name) => name !== '');
    complain('reason', textAt(raw, 'reason'), `supported values: ${known.join(', ')}`);
  }
  const evaluate = compile(text, 'rule', 'bool');
  const messageText = textAt(raw, 'messageExpression');
  const messageOf =
    messageText === '' ? undefined : compile(messageText, 'messageExpression', 'string');
  if (evaluate === undefined || reason === undefined) return undefined;
  return {
    text,
    message: textAt(raw, 'message'),
    reason,
    fieldPath: textAt(raw, 'fieldPath'),
    isTransition: mentions(evaluate.ast, 'oldSelf'),
    optionalOldSelf,
    evaluate,
    messageOf,
  };
}

const firstLine = (error: unknown): string => {
  const text = error instanceof Error ? error.message : String(error);
  return text.split('\n', 1)[0] ?? text;
};

/** True where an expression uses a variable. */
function mentions(ast: ASTNode, name: string): boolean {
  let found = false;
  walk(ast, (node) => {
    if (node.op === 'id' && node.args === name) found = true;
  });
  return found;
}

/** The chains of fields that an expression reads from self: `self.spec.replicas`. */
export function selfPaths(ast: ASTNode): (readonly string[])[] {
  const paths: (readonly string[])[] = [];
  walk(ast, (node) => {
    const path = chain(node);
    if (path !== undefined && path.length > 0) paths.push(path);
  });
  return paths;
}

function chain(node: ASTNode): string[] | undefined {
  if (node.op === 'id') return node.args === 'self' ? [] : undefined;
  if (node.op !== '.') return undefined;
  const [receiver, name] = node.args;
  const before = chain(receiver);
  return before === undefined ? undefined : [...before, name];
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function walk(node: ASTNode, visit: (node: ASTNode) => void): void {
  visit(node);
  const enter = (value: unknown): void => {
    if (isNode(value)) walk(value, visit);
    else if (Array.isArray(value)) value.forEach(enter);
  };
  enter(node.args);
}
