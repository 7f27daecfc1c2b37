// The sections of docs/README.md, by what people want, as navigation of the site: one list for who
// reads it on the site and for who reads it in the repository.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

export interface Section {
  readonly title: string;
  readonly pages: readonly { readonly text: string; readonly link: string }[];
}

/** `## Title`, then lines `- [text](page): what it says`. */
export const sectionsOf = (text: string): readonly Section[] =>
  text
    .split(/^## /m)
    .slice(1)
    .map((part) => ({
      title: part.slice(0, part.indexOf('\n')).trim(),
      pages: Array.from(part.matchAll(/^- \[([^\]]+)\]\(([^)#\s]+\.md)/gm), ([, text_, to]) => ({
        text: text_ ?? '',
        link: linkOf(to ?? ''),
      })),
    }))
    .filter(({ pages }) => pages.length > 0);

/** From docs/ to the path on the site. */
const linkOf = (to: string): string =>
  `/${posix
    .join('docs', to)
    .replace(/README\.md$/, '')
    .replace(/\.md$/, '')}`;

export const sectionsOfIndex = (root: string): readonly Section[] =>
  sectionsOf(readFileSync(join(root, 'docs', 'README.md'), 'utf8'));
