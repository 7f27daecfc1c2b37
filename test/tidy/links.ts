// Rules: a link or a file name in the documentation leads to something that is there, with the
// chapter that it names, and the index knows every page. Checks relative links of every page and
// the paths in backquotes that begin with a folder of ours.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { slugOf } from '#tools/site/slug.ts';
import { root, type Violation } from './sources.ts';

const pages = ['*.md', 'docs/**/*.md', 'charts/*/README.md'];

/** `[text](target)` without the fragment, and paths like `src/main.ts`. */
const link = /\]\((?!https?:|#)([^)#]+)/g;
const chapter = /\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g;
const path = /`((?:machines|actors|bus|src|test|charts|docs)\/[\w./-]+\.\w+)`/g;

export function checkLinks(): readonly Violation[] {
  return globSync(pages, { cwd: root }).flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    return [...brokenIn(page, text), ...withoutChapter(page, text)];
  });
}

/** Pages that a reader of docs/README.md does not find. Those of the other folders have an index of
 *  their own. */
export function checkIndex(): readonly Violation[] {
  const index = readFileSync(join(root, 'docs', 'README.md'), 'utf8');
  return globSync(['docs/*.md', 'docs/{tasks,migrate}/*.md'], { cwd: root })
    .filter((page) => page !== 'docs/README.md')
    .filter((page) => !index.includes(`](${page.slice('docs/'.length)})`))
    .map((path) => ({ path, line: 1, message: 'docs/README.md has no line for it' }));
}

/** Anchors as GitHub makes them: a second heading of the same words gets a number. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  const withoutCode = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  for (const [, heading = ''] of withoutCode.matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)|[`*]/g, '$1'));
    let anchor = slug;
    for (let again = 1; anchors.has(anchor); again += 1) anchor = `${slug}-${again}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Links to a chapter that the page does not have. */
export function withoutChapter(page: string, text: string): readonly Violation[] {
  return text.split('\n').flatMap((content, index) =>
    Array.from(content.matchAll(chapter), ([, to = '', anchor = '']) => {
      const target = to === '' ? page : join(dirname(page), to);
      const file = join(root, target);
      if (!target.endsWith('.md') || (to !== '' && !existsSync(file))) return [];
      if (anchorsOf(to === '' ? text : readFileSync(file, 'utf8')).has(anchor)) return [];
      return [{ path: page, line: index + 1, message: `${target} has no chapter #${anchor}` }];
    }).flat(),
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
