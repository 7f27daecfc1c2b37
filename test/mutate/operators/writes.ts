// Mistakes that a controller alone can make: it acts on another object than the one that was meant,
// or forgets to look again. Two of the operators of table.ts.
import {
  callOf,
  isIdentity,
  isIdentityCheck,
  keyOf,
  nameOf,
  type Operator,
  replaced,
  withoutProperty,
} from './operator.ts';

/** A check of UID, generation, epoch or version that always passes, and a write without one. */
export const identity: Operator = (source, put) => ({
  BinaryExpression: (node) => {
    if (!isIdentityCheck(node)) return;
    if (node.operator === '===') put(replaced(node, 'true'));
    if (['!==', '<', '>'].includes(node.operator)) put(replaced(node, 'false'));
  },
  CallExpression: (node) => {
    const name = nameOf(node.callee);
    if (name === 'isNewer') put(replaced(node, 'true'));
    if (name === 'isOlder') put(replaced(node, 'false'));
  },
  ObjectExpression: ({ properties }) => {
    for (const property of properties) {
      if (property.type !== 'Property') continue;
      const name = keyOf(property);
      if (isIdentity(name) || /^preconditions?$/.test(name)) put(withoutProperty(source, property));
    }
  },
});

/** Calls after which somebody looks again. */
const looks = [
  'touch',
  'wake',
  'again',
  'hurry',
  'schedule',
  'resume',
  'free',
  'retry',
  'requeue',
  'after',
  'signal',
  'notify',
];
/** Lists of those who will. */
const waiting = /wait|touch|dirty|pending|queue|changed/i;
const adders = ['add', 'set', 'push'];

/** A look that does not come: nobody is touched, queued or has a time at which it looks again. */
export const requeue: Operator = (_source, put) => ({
  ExpressionStatement: (node) => {
    const call = callOf(node);
    if (call === undefined) return;
    const { callee } = call;
    const name = nameOf(callee);
    const isLook = looks.includes(name.replace(/^(?:touch|wake)[A-Z]\w*$/, 'touch'));
    const isQueued =
      callee.type === 'MemberExpression' &&
      adders.includes(name) &&
      waiting.test(nameOf(callee.object));
    if (isLook || isQueued) put(replaced(node, ';'));
  },
  ObjectExpression: ({ properties }) => {
    for (const property of properties) {
      if (property.type !== 'Property' || property.value.type === 'Identifier') continue;
      if (keyOf(property) === 'waits') put(replaced(property.value, '[]'));
    }
  },
});
