// Mistakes in what is said and done: a value, a reason, something that is not set back. Three of
// the operators of table.ts.
import { type ESTree, Visitor } from 'rolldown/utils';
import type { Source } from '#test/tidy/sources.ts';
import { callOf, keyOf, nameOf, type Operator, replaced, withoutProperty } from './operator.ts';

/** A number that is off by one, and yes for no. */
export const constant: Operator = ({ ast }, put) => {
  const ofTypes = new Set<number>();
  new Visitor({ TSLiteralType: ({ start }) => ofTypes.add(start) }).visit(ast.program);
  return {
    Literal: (node) => {
      if (ofTypes.has(node.start)) return;
      if (typeof node.value === 'number') put(replaced(node, String(node.value + 1)));
      if (typeof node.value === 'boolean') put(replaced(node, String(!node.value)));
    },
  };
};

/** Fields whose texts other programs and people act upon. */
const telling = ['reason', 'type', 'status', 'code', 'phase', 'urgency', 'retry', 'outcome'];
const statuses = ['True', 'False', 'Unknown'];

/** Another of the reasons, types, codes or statuses that the file knows. */
export const reason: Operator = (source, put) => {
  const known = knownTexts(source);
  const exchange = (kind: string, literals: readonly ESTree.StringLiteral[]): void => {
    for (const literal of literals) {
      const own = statuses.includes(literal.value) ? statuses : (known.get(kind) ?? []);
      const instead = own[(own.indexOf(literal.value) + 1) % own.length];
      if (instead === undefined || instead === literal.value) continue;
      put(replaced(literal, `'${instead}'`));
    }
  };
  return tellingTexts(exchange);
};

/** By field, or `returned`. */
function knownTexts({ ast }: Source): ReadonlyMap<string, readonly string[]> {
  const known = new Map<string, string[]>();
  const add = (kind: string, literals: readonly ESTree.StringLiteral[]): void => {
    const texts = known.get(kind) ?? [];
    for (const { value } of literals) if (!texts.includes(value)) texts.push(value);
    known.set(kind, texts);
  };
  new Visitor(tellingTexts(add)).visit(ast.program);
  return known;
}

const tellingTexts = (
  take: (kind: string, literals: readonly ESTree.StringLiteral[]) => void,
): ReturnType<Operator> => ({
  Property: (property) => {
    if (property.value.type === 'AssignmentPattern' || !('kind' in property)) return;
    const key = keyOf(property as ESTree.ObjectProperty);
    if (telling.includes(key)) take(key, literalsIn(property.value as ESTree.Expression));
  },
  ReturnStatement: ({ argument }) => {
    if (argument !== null) take('returned', literalsIn(argument));
  },
  ArrowFunctionExpression: ({ body }) => {
    if (body.type !== 'BlockStatement') take('returned', literalsIn(body));
  },
});

/** The texts that an expression may be, without those that are sentences. */
function literalsIn(node: ESTree.Expression): readonly ESTree.StringLiteral[] {
  if (node.type === 'Literal') {
    const isWord = typeof node.value === 'string' && /^[\w.-]+$/.test(node.value);
    return isWord ? [node] : [];
  }
  if (node.type === 'ParenthesizedExpression') return literalsIn(node.expression);
  return node.type === 'ConditionalExpression'
    ? [...literalsIn(node.consequent), ...literalsIn(node.alternate)]
    : [];
}

const removers = ['clear', 'delete', 'reset', 'forget', 'remove', 'abort', 'close', 'splice'];

function isEmpty(node: ESTree.Expression): boolean {
  switch (node.type) {
    case 'Literal':
      return [0, '', false, null].includes(node.value as number);
    case 'Identifier':
      return node.name === 'undefined' || /^(?:no|empty|idle)(?:[A-Z]|$)/.test(node.name);
    case 'ArrayExpression':
      return node.elements.length === 0;
    case 'ObjectExpression':
      return node.properties.length === 0;
    case 'NewExpression':
      return node.arguments.length === 0;
    default:
      return false;
  }
}

/** What is not set back, not removed, not forgotten. */
export const reset: Operator = (source, put) => ({
  ExpressionStatement: (node) => {
    const { expression } = node;
    const isSetBack =
      expression.type === 'AssignmentExpression' &&
      expression.operator === '=' &&
      isEmpty(expression.right);
    const call = callOf(node);
    if (isSetBack || (call !== undefined && removers.includes(nameOf(call)))) {
      put(replaced(node, ';'));
    }
  },
  ObjectExpression: ({ properties }) => {
    if (properties[0]?.type !== 'SpreadElement') return;
    for (const property of properties) {
      if (property.type !== 'Property' || !isEmpty(property.value)) continue;
      put(withoutProperty(source, property));
    }
  },
});
