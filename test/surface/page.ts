// Pieces of Markdown and aligned text for the generated pages.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#test/tidy/sources.ts';

/** A line that says where the page comes from. */
export const generatedBy = (source: string): string =>
  `<!-- Written by \`npm run surface\` from ${source}; do not edit by hand. -->`;

/** A Markdown table; pipes in cells are escaped. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)];
}

/** The end of what is generated in a page that is written by hand. */
const end = '<!-- The end of what is written by `npm run surface`. -->';

/** The page at this path as it is, with what stands between `generatedBy(source)` and the end
 *  anew. */
export function pageWith(path: string, source: string, lines: readonly string[]): string {
  const text = readFileSync(join(root, path), 'utf8');
  const begin = generatedBy(source);
  const from = text.indexOf(begin);
  const to = text.indexOf(end, from);
  if (from < 0 || to < from) throw new Error(`${path} has no place for its tables`);
  return [text.slice(0, from) + begin, '', ...lines, '', text.slice(to)].join('\n');
}

/** Lines to a text that ends with a line feed. */
export const page = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;
