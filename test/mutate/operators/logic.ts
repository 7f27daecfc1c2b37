// Mistakes in what is asked: a comparison that is off, a guard that is missing, branches that are
// swapped. Three of the operators of table.ts.
import type { ESTree } from 'rolldown/utils';
import { between, isIdentityCheck, type Operator, replaced, swapped, textOf } from './operator.ts';

const other: ReadonlyMap<string, string> = new Map([
  ['<', '<='],
  ['<=', '<'],
  ['>', '>='],
  ['>=', '>'],
  ['===', '!=='],
  ['!==', '==='],
  ['&&', '||'],
  ['||', '&&'],
  ['min', 'max'],
  ['max', 'min'],
  ['some', 'every'],
  ['every', 'some'],
]);

/** `<` for `<=`, `===` for `!==`, `&&` for `||`, `min` for `max`, `some` for `every`. */
export const comparison: Operator = (source, put) => {
  const exchange = ({
    left,
    right,
    operator,
  }: ESTree.BinaryExpression | ESTree.LogicalExpression) => {
    const instead = other.get(operator);
    if (instead !== undefined) put(between(source, left, right, operator, instead));
  };
  return {
    BinaryExpression: (node) => {
      if (!isIdentityCheck(node)) exchange(node);
    },
    LogicalExpression: exchange,
    CallExpression: ({ callee }) => {
      if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
      const instead = other.get(callee.property.name);
      if (instead !== undefined) put(replaced(callee.property, instead));
    },
  };
};

const jumps = ['ReturnStatement', 'ContinueStatement', 'BreakStatement', 'ThrowStatement'];

const isJump = (node: ESTree.Statement): boolean =>
  jumps.includes(node.type) ||
  (node.type === 'BlockStatement' && jumps.includes(node.body.at(-1)?.type ?? ''));

/** An early return, one of two conditions, or a filter that is not there. */
export const guard: Operator = (source, put) => ({
  IfStatement: (node) => {
    if (node.alternate === null && isJump(node.consequent)) put(replaced(node, ';'));
  },
  LogicalExpression: (node) => {
    if (node.operator === '??') return;
    put(replaced(node, textOf(source, node.left)));
    put(replaced(node, textOf(source, node.right)));
  },
  CallExpression: (node) => {
    const { callee } = node;
    if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier') return;
    if (callee.property.name === 'filter') put(replaced(node, textOf(source, callee.object)));
  },
});

/** What is done where the condition holds, where it does not. */
export const branch: Operator = (source, put) => ({
  ConditionalExpression: ({ consequent, alternate }) => put(swapped(source, consequent, alternate)),
  IfStatement: ({ consequent, alternate }) => {
    if (consequent.type !== 'BlockStatement' || alternate?.type !== 'BlockStatement') return;
    put(swapped(source, consequent, alternate));
  },
});
