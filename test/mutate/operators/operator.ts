// What an operator of mutation is, and what several of them ask of a piece of syntax.
import type { ESTree, VisitorObject } from 'rolldown/utils';
import type { Source } from '#test/tidy/sources.ts';
import type { Edit } from '../mutant.ts';

/** Where a node stands. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Takes an edit for each mutant that can be made at the nodes that it visits. */
export type Operator = (source: Source, put: (edit: Edit) => void) => VisitorObject;

export const textOf = ({ text }: Source, { start, end }: Span): string => text.slice(start, end);

/** The node becomes this text. */
export const replaced = ({ start, end }: Span, text: string): Edit => ({ start, end, text });

/** An operator stands between two nodes. */
export function between(source: Source, left: Span, right: Span, from: string, to: string): Edit {
  const start = left.end + source.text.slice(left.end, right.start).indexOf(from);
  return { start, end: start + from.length, text: to };
}

/** Two nodes change places, and what stands between them stays. */
export const swapped = (source: Source, one: Span, other: Span): Edit => ({
  start: one.start,
  end: other.end,
  text: [textOf(source, other), source.text.slice(one.end, other.start), textOf(source, one)].join(
    '',
  ),
});

/** A property of an object, with the comma after it. */
export function withoutProperty({ text }: Source, { start, end }: Span): Edit {
  const comma = /^\s*,/.exec(text.slice(end))?.[0] ?? '';
  return { start, end: end + comma.length, text: '' };
}

/** The last name of `a.b.name`, `name` and `name()`; the empty text of anything else. */
export function nameOf(node: ESTree.Expression | ESTree.PrivateIdentifier | ESTree.Super): string {
  switch (node.type) {
    case 'Identifier':
    case 'PrivateIdentifier':
      return node.name;
    case 'MemberExpression':
      return node.computed ? '' : nameOf(node.property);
    case 'CallExpression':
      return nameOf(node.callee);
    case 'ChainExpression':
      return nameOf(node.expression);
    default:
      return '';
  }
}

/** The name of a property that is written as one. */
export const keyOf = (property: ESTree.ObjectProperty): string =>
  property.key.type === 'Identifier' && !property.computed ? property.key.name : '';

/** The call that a statement consists of, with `void` or `await` before it or without. */
export function callOf({
  expression,
}: ESTree.ExpressionStatement): ESTree.CallExpression | undefined {
  const inner =
    expression.type === 'AwaitExpression' || expression.type === 'UnaryExpression'
      ? expression.argument
      : expression;
  const call = inner.type === 'ChainExpression' ? inner.expression : inner;
  return call.type === 'CallExpression' ? call : undefined;
}

/** Says that the object is the one that was meant: of the same UID, generation, epoch, version. */
const identity = /uid$|generation$|epoch$|^(?:resource)?version$|^incarnation$/i;

export const isIdentity = (name: string): boolean => identity.test(name);

/** Whether there is one at all is another question. */
export const isIdentityCheck = ({ left, right }: ESTree.BinaryExpression): boolean =>
  (isIdentity(nameOf(left)) || isIdentity(nameOf(right))) && nameOf(right) !== 'undefined';
