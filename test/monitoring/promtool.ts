// Runs promtool (Prometheus' own; Debian's package `prometheus` has it) on files of a folder of its
// own: alerts and queries are shown to do what they say by Prometheus itself.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { type Ran, shell, without } from '#test/support/tools.ts';

/** For the titles of tests with promtool; empty: they run. */
export const withoutPromtool = without('promtool');

/** Values of series over time, in promtool's notation, one a minute. */
export type SeriesValues = Readonly<Record<string, string>>;

export const inputOf = (series: SeriesValues) =>
  Object.entries(series).map(([name, values]) => ({ series: name, values }));

/** `promtool ...words` beside these files. */
export async function promtool(
  files: Readonly<Record<string, string | object>>,
  words: string,
): Promise<Ran> {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-promtool-'));
  try {
    for (const [name, content] of Object.entries(files)) {
      const text = typeof content === 'string' ? content : stringify(content);
      writeFileSync(join(folder, name), text);
    }
    return await shell(`cd ${folder} && promtool ${words}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What `promtool check metrics` says of what `/metrics` serves, by lines; empty: it is right. */
export async function linted(text: string): Promise<readonly string[]> {
  const { code, stdout, stderr } = await promtool(
    { 'scrape.txt': text },
    'check metrics < scrape.txt',
  );
  if (code === 0) return [];
  // Node tells the command and what it said once more.
  const lines = `${stdout}\n${stderr}`
    .split('\n')
    .map((line) => line.replace(/Error: Command .*/, ''));
  return [...new Set(lines.filter((line) => line !== ''))];
}
