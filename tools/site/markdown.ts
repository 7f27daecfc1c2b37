// Lets VitePress read the pages as GitHub shows them: text stays text where Vue would take it for a
// template or a tag, a README is the page of its folder, and a link to a source leads to the
// repository, or is text where nobody said where that is.
import { existsSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

type Token = ReturnType<MarkdownRenderer['parse']>[number];

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('{{', '&#123;&#123;');

/** Comments vanish; all other HTML is meant literally, e.g. `<name>` in a sentence. */
const literal = (content: string): string =>
  /^\s*<!--[\s\S]*-->\s*$/.test(content) ? '' : escaped(content);

/** For `markdown.config` of VitePress. */
export const plainMarkdown =
  (root: string, repository: string | undefined) =>
  (md: MarkdownRenderer): void => {
    const { rules } = md.renderer;
    rules.text = (tokens, at) => escaped(tokens[at]?.content ?? '');
    rules.html_inline = (tokens, at) => literal(tokens[at]?.content ?? '');
    rules.html_block = rules.html_inline;
    rules.code_inline = (tokens, at) => `<code v-pre>${escaped(tokens[at]?.content ?? '')}</code>`;
    rules.code_block = (tokens, at) =>
      `<pre v-pre><code>${escaped(tokens[at]?.content ?? '')}</code></pre>\n`;
    // Before VitePress looks at links and reports those that lead nowhere.
    md.core.ruler.push('links of the checkout', ({ tokens, env }) => {
      const page: unknown = env.relativePath;
      for (const { children } of tokens) {
        if (children !== null) relink(children, root, String(page), repository);
      }
    });
  };

/** Changes the addresses of one paragraph in place. */
function relink(tokens: Token[], root: string, page: string, repository: string | undefined): void {
  const isDropped: boolean[] = [];
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const to = targetOf(token.attrGet('href') ?? '', root, page, repository);
      isDropped.push(to === undefined);
      if (to === undefined) asText(token);
      else token.attrSet('href', to);
    } else if (token.type === 'link_close' && isDropped.pop() === true) {
      asText(token);
    }
  }
}

/** Nothing is left of the link but what it is around. */
function asText(token: Token): void {
  token.type = 'text';
  token.tag = '';
  token.content = '';
}

/** Where the link leads on the site; undefined: nowhere. */
function targetOf(
  href: string,
  root: string,
  page: string,
  repository: string | undefined,
): string | undefined {
  if (/^(?:[a-z]+:|#|\/)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const end = anchor === undefined ? '' : `#${anchor}`;
  const target = posix.normalize(posix.join(posix.dirname(page), path));
  const isFolder = existsSync(join(root, target)) && statSync(join(root, target)).isDirectory();
  if (isFolder && existsSync(join(root, target, 'README.md'))) {
    return `${path.replace(/\/?$/, '/')}index.md${end}`;
  }
  if (path.endsWith('.md')) return `${path.replace(/README\.md$/, 'index.md')}${end}`;
  if (/\.(?:png|svg)$/.test(path)) return href;
  return repository === undefined
    ? undefined
    : `${repository.replace(/\/$/, '')}/blob/main/${target}${end}`;
}
