// Rule: a link or a file name in the documentation leads to something that is there. Checks
// relative links of every page and the paths in backquotes that begin with a folder of ours.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, type Violation } from './sources.ts';

const pages = ['*.md', 'docs/**/*.md', 'charts/*/README.md'];

/** `[text](target)` without the fragment, and paths like `src/main.ts`. */
const link = /\]\((?!https?:|#)([^)#]+)/g;
const path = /`((?:machines|actors|bus|src|test|charts|docs)\/[\w./-]+\.\w+)`/g;

export function checkLinks(): readonly Violation[] {
  return globSync(pages, { cwd: root }).flatMap((page) =>
    brokenIn(page, readFileSync(join(root, page), 'utf8')),
  );
}

/** The broken ones of one page; `page` is its path from the root. */
export function brokenIn(page: string, text: string): readonly Violation[] {
  return text.split('\n').flatMap((line, index) => {
    const links = Array.from(line.matchAll(link), ([, to = '']) => join(dirname(page), to));
    const paths = Array.from(line.matchAll(path), ([, to = '']) => to);
    return [...links, ...paths]
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => ({ path: page, line: index + 1, message: `${target} does not exist` }));
  });
}
