// The tables of docs/grove-compatibility.md that say what Coppice does as Grove, better and
// otherwise, from the table of hard cases; the rest of the page is written by hand.
import { deviations } from '#test/rules/deviations.ts';
import { rules } from '#test/rules/table.ts';
import { pageWith, table } from './page.ts';

export const compatibilityPath = 'docs/grove-compatibility.md';

/** Of one section of the table. */
const rowsOf = (word: string): readonly (readonly string[])[] =>
  rules
    .filter(({ id }) => id.startsWith(`${word} `))
    .map(({ id, text, deviation }) => [
      id.slice(word.length + 1),
      deviation === undefined ? text : `${text} (see [deviations](#deviations))`,
    ]);

const tables = (): readonly string[] => [
  '## What is kept',
  '',
  'Its fixes have established these rules. They hold here too; `npm run rules` lists the tests that show each.',
  '',
  ...table(['rule', 'what holds'], rowsOf('rule')),
  '',
  '## Defects that are not kept',
  '',
  'Gaps of Grove at this revision, by what holds here instead.',
  '',
  ...table(['gap', 'what holds'], rowsOf('gap')),
  '',
  '## Deviations',
  '',
  'What Coppice does otherwise on purpose.',
  '',
  ...table(
    ['about', 'Grove', 'Coppice', 'why'],
    deviations.map(({ of, grove, here, why }) => [of, grove, here, why]),
  ),
];

/** The page as it is, with these tables anew. */
export const compatibilityPage = (): string => pageWith(compatibilityPath, 'test/rules', tables());
