// Pieces of Markdown and aligned text for the generated pages.

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

/** Lines to a text that ends with a line feed. */
export const page = (...lines: readonly string[]): string => `${lines.join('\n')}\n`;
