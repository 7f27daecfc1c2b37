// Rule: time, randomness, ids and the console are reached through ports outside src/. In tests they
// make runs that cannot be repeated, so they are banned there too. Free are tools under test/ that
// are started by hand (bench, cluster, ...), test/e2e, which drives real processes, and
// test/support.
import { Visitor } from 'rolldown/utils';
import { folderOf, type Source, type Violation } from './sources.ts';

/** Member of an object: `Date.now`, also where it is handed on and not called. */
const bannedMembers = [
  'Date.now',
  'Math.random',
  'performance.now',
  'process.hrtime',
  'process.nextTick',
  'crypto.randomUUID',
  'crypto.getRandomValues',
];
const bannedCalls = ['setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'];
const bannedImports = ['node:timers', 'node:timers/promises', 'timers', 'timers/promises'];
/** Names that may not be imported from builtins. */
const bannedNames = ['randomUUID', 'randomBytes', 'randomInt', 'performance', 'hrtime'];

/** Layers in which all of it is banned. */
const pureFolders = ['machines', 'actors', 'bus'];

export function checkBanned(sources: readonly Source[]): readonly Violation[] {
  return sources.filter(isBound).flatMap((source) => {
    const found: Violation[] = [];
    const report = (offset: number, what: string) =>
      found.push({
        path: source.path,
        line: source.lineOf(offset),
        message: `${what} is for src/ alone: take it through a port (actors/ports.ts)`,
      });
    for (const { specifier, names, line } of source.imports) {
      const isBanned =
        bannedImports.includes(specifier) ||
        (specifier.startsWith('node:') && names.some((name) => bannedNames.includes(name)));
      if (isBanned) {
        found.push({ path: source.path, line, message: `${specifier} is for src/ alone` });
      }
    }
    new Visitor(visitorFor(report)).visit(source.ast.program);
    return found;
  });
}

const isBound = ({ path }: Source): boolean =>
  pureFolders.includes(folderOf(path)) ||
  (path.endsWith('.test.ts') && !path.startsWith('test/e2e/'));

function visitorFor(
  report: (offset: number, what: string) => void,
): ConstructorParameters<typeof Visitor>[0] {
  return {
    MemberExpression: ({ object, property, start }) => {
      if (object.type !== 'Identifier' || property.type !== 'Identifier') return;
      const name = `${object.name}.${property.name}`;
      if (bannedMembers.includes(name) || object.name === 'console') report(start, name);
    },
    CallExpression: ({ callee, start }) => {
      if (callee.type === 'Identifier' && bannedCalls.includes(callee.name)) {
        report(start, callee.name);
      }
    },
    NewExpression: ({ callee, arguments: given, start }) => {
      if (callee.type === 'Identifier' && callee.name === 'Date' && given.length === 0) {
        report(start, 'new Date()');
      }
    },
  };
}
