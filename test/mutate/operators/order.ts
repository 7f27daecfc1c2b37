// Mistakes in what comes first: two statements, arguments, items or operands that change places.
// One of the operators of table.ts.
import { type ESTree, Visitor } from 'rolldown/utils';
import type { Source } from '#test/tidy/sources.ts';
import { callOf, nameOf, type Operator, type Span, swapped } from './operator.ts';

/** Functions to which both of two arguments are the same. */
const symmetric = ['min', 'max', 'isEqual'];

const isValue = ({ type }: { readonly type: string }): boolean =>
  type === 'Identifier' || type === 'MemberExpression' || type === 'CallExpression';

export const order: Operator = (source, put) => {
  const areApart = apartIn(source);
  const swapNeighbours = (nodes: readonly (ESTree.Statement | ESTree.Directive)[]): void => {
    nodes.forEach((node, index) => {
      const next = nodes[index + 1];
      if (node.type !== 'ExpressionStatement' || next?.type !== 'ExpressionStatement') return;
      // Two assignments seldom read what the other one sets.
      if (callOf(node) === undefined && callOf(next) === undefined) return;
      if (!areApart(node, next)) put(swapped(source, node, next));
    });
  };
  return {
    BlockStatement: ({ body }) => swapNeighbours(body),
    CallExpression: ({ callee, arguments: [one, another] }) => {
      if (one === undefined || another === undefined || symmetric.includes(nameOf(callee))) return;
      if (isValue(one) && isValue(another)) put(swapped(source, one, another));
    },
    ArrayExpression: ({ elements: [one, another] }) => {
      if (one === undefined || another === undefined) return;
      if (one === null || another === null || one.type === 'Literal') return;
      put(swapped(source, one, another));
    },
    BinaryExpression: ({ operator, left, right }) => {
      if (operator === '-') put(swapped(source, left, right));
    },
  };
};

/** A name that stands in the text: of a variable, or of a part of `this`, e.g. `this.#queue`. */
interface Use {
  readonly start: number;
  readonly name: string;
  readonly of: 'variable' | 'part' | 'method';
}

/**
 * Whether two statements use nothing that is the same: `cancel(); resolve();`. Nobody can tell
 * which of them came first, unless they meet behind their calls. A method of `this` may use all its
 * parts.
 */
function apartIn({ ast }: Source): (one: Span, other: Span) => boolean {
  const uses: Use[] = [];
  const ofMembers = new Set<number>();
  new Visitor({
    MemberExpression: ({ object, property, computed }) => {
      if (!computed) ofMembers.add(property.start);
      if (object.type === 'ThisExpression') {
        uses.push({ start: object.start, name: nameOf(property), of: 'part' });
      }
    },
    CallExpression: ({ callee }) => {
      if (callee.type !== 'MemberExpression' || callee.object.type !== 'ThisExpression') return;
      uses.push({ start: callee.start, name: nameOf(callee), of: 'method' });
    },
    // After the member of which it may be the name.
    Identifier: ({ start, name }) => {
      if (!ofMembers.has(start)) uses.push({ start, name, of: 'variable' });
    },
  }).visit(ast.program);
  const within = ({ start, end }: Span): readonly Use[] =>
    uses.filter((use) => use.start >= start && use.start < end);
  const meet = (one: Use, other: Use): boolean =>
    one.of === 'variable' || other.of === 'variable'
      ? one.of === other.of && one.name === other.name
      : one.of === 'method' || other.of === 'method' || one.name === other.name;
  return (one, other) => {
    const others = within(other);
    return !within(one).some((use) => others.some((another) => meet(use, another)));
  };
}
