// Every reason that a condition can have, and every alert, has its place in docs/runbooks; commands
// of ours that stand there exist.
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runtimeConditions } from '#machines/contract/condition-reasons.ts';
import { modules } from '#machines/index.ts';
import { pluginCommands } from '#src/plugin/commands.ts';
import { root } from '#test/tidy/sources.ts';
import { alerts } from '#tools/monitoring/alerts.ts';

const folder = join(root, 'docs/runbooks');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const pages = globSync('*.md', { cwd: folder });

const reasons = [runtimeConditions, ...modules.map(({ conditions = {} }) => conditions)].flatMap(
  (table) => Object.keys(table),
);

describe('The page on reasons of conditions', () => {
  const headings = Array.from(
    read('conditions.md').matchAll(/^### (\w+)$/gm),
    ([, name = '']) => name,
  );

  it('has a section for each reason in the tables of the modules, and for no other', () => {
    expect(headings.toSorted()).toEqual([...new Set(reasons)].toSorted());
  });

  it('says something in each', () => {
    const sections = read('conditions.md')
      .split(/^### \w+$/m)
      .slice(1);
    const short = headings.filter((_, at) => (sections[at] ?? '').trim().length < 20);
    expect(short).toEqual([]);
  });
});

describe('The runbook', () => {
  const own = pages.filter((page) => page.startsWith('Coppice'));

  it('of each alert is there, and none is of an alert that is gone', () => {
    const names = own.map((page) => basename(page, '.md'));
    expect(names.toSorted()).toEqual(alerts.map(({ name }) => name).toSorted());
    for (const { name } of alerts) expect(read('README.md')).toContain(`](${name}.md)`);
  });

  it.each(own)('%s says where to look and what to do', (page) => {
    const text = read(page);
    expect(text.startsWith(`# ${basename(page, '.md')}\n`)).toBe(true);
    expect(text).toMatch(/^## Look$/m);
    expect(text).toMatch(/^## Do$/m);
    expect(text).toMatch(/^```sh$/m);
  });

  it.each(pages)('%s gives commands of the plugin that there are', (page) => {
    const words = Array.from(
      read(page).matchAll(/kubectl coppice ([a-z-]+)/g),
      ([, word = '']) => word,
    );
    expect(words.filter((word) => !Object.hasOwn(pluginCommands, word))).toEqual([]);
  });
});
