// The site as `npm run docs` builds it: every page is there, every link and every chapter that one
// names leads somewhere, and the search knows the words.
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sectionsOfIndex } from '#tools/site/sections.ts';
import { Programs } from '#test/support/program.ts';
import { root } from '#test/tidy/sources.ts';

const folder = mkdtempSync(join(tmpdir(), 'coppice-site-'));
const programs = new Programs();
const build = join(root, 'tools', 'site', 'build.ts');

beforeAll(async () => {
  const program = programs.run('env', [`COPPICE_SITE=${folder}`, process.execPath, build]);
  const { code } = await program.ended;
  if (code !== 0) throw new Error(`the build ended with ${code}:\n${program.stderr.join('\n')}`);
}, 240_000);
afterAll(async () => {
  await programs.end();
  rmSync(folder, { recursive: true, force: true });
});

const htmlFiles = (): readonly string[] => globSync('**/*.html', { cwd: folder });
const read = (path: string): string => readFileSync(join(folder, path), 'utf8');

/** The file that a server gives for an address; undefined where there is none. */
function fileOf(page: string, address: string): string | undefined {
  const path = address.startsWith('/') ? address.slice(1) : join(dirname(page), address);
  const clean = normalize(path);
  return [clean, `${clean}.html`, join(clean, 'index.html')].find(
    (one) => existsSync(join(folder, one)) && statSync(join(folder, one)).isFile(),
  );
}

/** Addresses within the site that lead to no file or to no chapter. */
function broken(page: string): readonly string[] {
  return Array.from(read(page).matchAll(/<a [^>]*href="([^"]+)"/g), ([, href = '']) => href)
    .filter((href) => !/^[a-z]+:/.test(href))
    .filter((href) => {
      const [address = '', chapter = ''] = href.split('#');
      const file = address === '' ? page : fileOf(page, address);
      if (file === undefined) return true;
      const id = decodeURIComponent(chapter);
      return id !== '' && !['app', 'VPContent'].includes(id) && !read(file).includes(`id="${id}"`);
    })
    .map((href) => `${page} ${href}`);
}

describe('The site', () => {
  test('has every page of the documentation, with its title', () => {
    const pages = globSync(['*.md', 'docs/**/*.md', 'charts/coppice/*.md'], { cwd: root });
    const missing = pages.filter((page) => {
      const file = join(folder, page.replace(/README\.md$/, 'index.md').replace(/md$/, 'html'));
      return !existsSync(file) || !/<h1 /.test(readFileSync(file, 'utf8'));
    });
    expect(pages.length).toBeGreaterThan(80);
    expect(missing).toEqual([]);
  });

  test('has no link that leads nowhere', () => {
    expect(htmlFiles().flatMap(broken)).toEqual([]);
  });

  test('shows what is meant literally, and keeps comments to itself', () => {
    const agent = read('docs/clique-agent.html');
    expect(agent).toMatch(/(?:\{\{|&#123;&#123;) \.Name \}\}/);
    expect(read('docs/metrics.html')).not.toContain('do not edit by hand');
  });

  test('has the sections of the index as its navigation', () => {
    const sections = sectionsOfIndex(root);
    expect(sections.map(({ title }) => title)).toEqual(
      expect.arrayContaining([
        'Get started',
        'Tasks',
        'Concepts',
        'Reference',
        'Operate',
        'Decide',
      ]),
    );
    for (const { link } of sections.flatMap(({ pages }) => pages)) {
      expect(read('docs/index.html')).toContain(`href="${link.replace(/\/$/, '/')}`);
    }
  });

  test('can be searched without a service', () => {
    const [index = ''] = globSync('assets/chunks/@localSearchIndex*.js', { cwd: folder });
    const text = read(index);
    for (const word of ['podcliquescalinggroup', 'sandboxwarmpool', 'terminationdelay']) {
      expect(text).toContain(word);
    }
  });
});
