// Rule: names are the field's own words (docs/glossary.md). Words that were ours alone are refused
// in identifiers and in names of files; each says what to write.
import { Visitor } from 'rolldown/utils';
import type { Source, Violation } from './sources.ts';

const retired: ReadonlyMap<string, string> = new Map([
  ['absorb', 'reduce'],
  ['aftermath', 'completion'],
  ['bury', 'mark dead'],
  ['conduct', 'request rules'],
  ['crew', 'controller set'],
  ['desk', 'handlers'],
  ['doomed', 'pods to delete'],
  ['farewell', 'removal'],
  ['farewells', 'removals'],
  ['flaw', 'error'],
  ['flaws', 'errors'],
  ['flawed', 'not decoded'],
  ['foresight', 'warnings'],
  ['hopeless', 'expired'],
  ['lane', 'object writes'],
  ['lanes', 'writes by object'],
  ['noted', 'recorded'],
  ['parcel', 'routed event'],
  ['parcels', 'routed events'],
  ['patiently', 'retry until'],
  ['recreation', 'create back-off'],
  ['rehearse', 'dry run'],
  ['reign', 'ownership'],
  ['reigns', 'ownerships'],
  ['seat', 'slot'],
  ['seats', 'slots'],
  ['settle', 'reconcile'],
  ['settles', 'reconciles'],
  ['steward', 'coordinator'],
  ['struck', 'resolved'],
  ['upkeep', 'PodGroup sync'],
  ['wish', 'desired'],
  ['wishes', 'desired'],
]);

/** Of `isHTTPServer2`: is, http, server, 2. */
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);

const retiredIn = (name: string): readonly string[] =>
  wordsOf(name).filter((word) => retired.has(word));

export function checkWords(sources: readonly Source[]): readonly Violation[] {
  return sources.flatMap(({ path, ast, lineOf }) => {
    const say = (word: string, where: string): string =>
      `${word} in ${where}: write ${retired.get(word) ?? ''}, as docs/glossary.md does`;
    const found = new Map<string, Violation>();
    for (const word of retiredIn(path)) {
      found.set(path, { path, line: 1, message: say(word, 'the name of the file') });
    }
    const look = ({ name, start }: { name: string; start: number }): void => {
      for (const word of retiredIn(name)) {
        if (!found.has(name)) {
          found.set(name, { path, line: lineOf(start), message: say(word, name) });
        }
      }
    };
    new Visitor({ Identifier: look, PrivateIdentifier: look }).visit(ast.program);
    return [...found.values()];
  });
}
