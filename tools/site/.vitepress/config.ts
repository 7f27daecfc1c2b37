// The static site of the documentation, built by VitePress (tools/site/build.ts): all pages of the
// checkout where they are, the README as its home. Sections and order are those of docs/README.md.
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';
import { plainMarkdown } from '../markdown.ts';
import { sectionsOfIndex } from '../sections.ts';
import { slugOf } from '../slug.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const sections = sectionsOfIndex(root);

/** Of the repository, for links to sources; without it they are shown as text. */
const repository = process.env['COPPICE_REPOSITORY_URL'];

/** A README is the page of its folder; each stays where it is, so relative links hold. */
const rewrites = Object.fromEntries(
  [
    '',
    'docs/',
    'docs/decisions/',
    'docs/reference/',
    'docs/migrate/',
    'docs/runbooks/',
    'charts/coppice/',
  ].map((folder) => [`${folder}README.md`, `${folder}index.md`]),
);

/** Tables have paths of fields, which may break anywhere, and want the width that is there. */
const style = `
.vp-doc table code { overflow-wrap: anywhere; }
.vp-doc td { vertical-align: top; }
.VPDoc.has-aside .content-container { max-width: 60rem !important; }
`;

export default defineConfig({
  title: 'Coppice',
  description: 'A control plane for AI workloads on Kubernetes',
  lang: 'en',
  srcDir: root,
  // Besides pages there is Markdown of tests and of packages.
  srcExclude: ['{src,test,tools,machines,actors,bus,client,dist}/**', '**/.*/**'],
  outDir: process.env['COPPICE_SITE'] ?? `${root}dist/site`,
  cacheDir: `${root}.cache/site`,
  rewrites,
  head: [['style', {}, style]],
  // Pages show pictures small, and lead to them.
  buildEnd: ({ outDir }) =>
    cpSync(join(root, 'docs', 'pictures'), join(outDir, 'docs', 'pictures'), { recursive: true }),
  vite: {
    // The index of the search is one chunk, loaded when somebody searches.
    build: { chunkSizeWarningLimit: 4000 },
  },
  cleanUrls: false,
  lastUpdated: false,
  markdown: {
    anchor: { slugify: slugOf },
    toc: { slugify: slugOf },
    // Facts on the bus, and what the highlighter does not know.
    languageAlias: { message: 'json', promql: 'sql' },
    config: plainMarkdown(root, repository),
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: sections.map(({ title, pages }) => ({ text: title, link: pages[0]?.link ?? '/' })),
    sidebar: sections.map(({ title, pages }) => ({
      text: title,
      collapsed: true,
      items: pages.map(({ text, link }) => ({ text, link })),
    })),
  },
});
