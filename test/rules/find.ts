// Which tests carry the number of which rule in their titles. Used by main.ts and rules.test.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A title and the file that it stands in, from the root of the project. */
export interface Titled {
  readonly file: string;
  readonly title: string;
}

const call = /\b(?:it|test|describe)(?:\.\w+)*(?:\([^()]*\))?\(\s*(['"`])((?:(?!\1).)*)\1/gs;
/** Scenarios that several files of tests take have it as a field. */
const field = /\btitle:\s*(['"`])((?:(?!\1,\n).)*)\1,\n/gs;
const scenarios = /\bfrom '(\.\/scenarios\/[^']+)'/g;
const number = /\b(rule|gap|scenario)s? ((?:\d+)(?:(?:, | and )\d+)*)/g;
/** As the spec of ComputeDomains numbers guarantees, hard cases and defects. */
const ofDomains = /\b(?:A|HC|Q)-\d+\b/g;
/** As that of the activator does, in titles of its tests alone: others use the same letters. */
const ofActivator = /\b([RPBH])-(\d+)(?: to \1-(\d+))?\b/g;
const isOfActivator = (file: string): boolean => file.split('/').includes('activator');
/** As that of agent-sandbox does, in parentheses: `(2.3.8, R18)`, `(Q1 to Q16 and C4)`. */
const inParentheses = /\(([^()]*)\)/g;
const ofSandboxes = /\b([RHSPCQMKG])(\d+)(?: to \1(\d+))?\b/g;

/** Tests by `rule N`, `gap N`, `A-N`, `R1` and so on. */
export function testsOfRules(): ReadonlyMap<string, readonly Titled[]> {
  const found = new Map<string, Titled[]>();
  for (const file of testFiles()) {
    for (const title of titlesIn(file)) {
      const ids = isOfActivator(file) ? activatorIds(title) : idsIn(title);
      for (const id of ids) found.set(id, [...(found.get(id) ?? []), { file, title }]);
    }
  }
  return found;
}

/** Those of the scenarios that the file takes from the folder beside it are its own. */
function titlesIn(file: string): readonly string[] {
  const content = readFileSync(join(root, file), 'utf8');
  const beside = [...content.matchAll(scenarios)].map(([, path = '']) =>
    readFileSync(join(root, dirname(file), path), 'utf8'),
  );
  const fields = beside.flatMap((each) => [...each.matchAll(field)]);
  return [...content.matchAll(call), ...fields].map(([, , title = '']) => title);
}

/** `(10.1 rules 4, 5)` gives `rule 4` and `rule 5`. */
export const idsIn = (title: string): string[] => [
  ...[...title.matchAll(number)].flatMap(([, word = '', numbers = '']) =>
    numbers.split(/, | and /).map((each) => `${word} ${each}`),
  ),
  ...(title.match(ofDomains) ?? []),
  ...[...title.matchAll(inParentheses)].flatMap(([, inside = '']) => sandboxIds(inside)),
];

const sandboxIds = (text: string): readonly string[] => series(text, ofSandboxes, '');

/** `(P-11 to P-13, R-1)` gives `P-11`, `P-12`, `P-13` and `R-1`. */
export const activatorIds = (title: string): readonly string[] => series(title, ofActivator, '-');

const series = (text: string, pattern: RegExp, sign: string): readonly string[] =>
  [...text.matchAll(pattern)].flatMap(([, letter = '', first = '', last = first]) =>
    Array.from(
      { length: Number(last) - Number(first) + 1 },
      (_, index) => `${letter}${sign}${Number(first) + index}`,
    ),
  );

const testFiles = (): string[] =>
  readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('rules'))
    .map((path) => join('test', path))
    .toSorted();
