// What a statement cites, and the files of tests that run it: by whether they take seconds, or
// start processes and simulate days. Used by statements.ts and judge.ts.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '#test/support/source-copy.ts';

export interface Cited {
  readonly file: string;
  /** A pattern of the names of its tests; undefined: all of them. */
  readonly title?: string;
}

/** A word alone names no test but what all tests of the file call. */
export const citedOf = (file: string, title: string): Cited =>
  /^\w+$/.test(title) ? { file } : { file, title: patternOf(title) };

/** Of a title as it stands in the source: what is filled in may be anything. */
export const patternOf = (title: string): string =>
  title
    .replaceAll(/[.*+?^()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\$?\{[^}]*\}|%[a-z]|\$[\w.]+/g, '.*');

/** Minutes for each mutant. */
export const isSlow = (cited: Cited): boolean => quickFiles(cited).length === 0;

export const quickFiles = (cited: Cited): readonly string[] =>
  testFiles(cited).filter((file) => !takesMinutes(file) && !needsCluster(file));

/** Those that wait longest come last: another one may fail before them. */
export const slowFiles = (cited: Cited): readonly string[] => {
  const files = testFiles(cited).filter((file) => !needsCluster(file));
  const [long, short] = [files.filter(waits), files.filter((file) => !waits(file))];
  return [...short, ...long];
};

/** It is played on the virtual clock of the embedded cluster, two seconds for each test. */
const gangs = 'test/e2e/gangs/embedded.test.ts';

const takesMinutes = (file: string): boolean =>
  /^test\/(?:e2e|sim|conformance)\//.test(file) && file !== gangs;

const waits = (file: string): boolean => /\blong\.test\.ts$/.test(file);

/** `npm run test:real` alone runs it. */
const needsCluster = (file: string): boolean => /\/real(?:\/.*)?\.test\.ts$/.test(file);

/** Scenarios that several files take are run by each of them. */
const testFiles = ({ file }: Cited): readonly string[] =>
  file.endsWith('.test.ts') ? [file] : (callers().get(file) ?? []);

let found: ReadonlyMap<string, readonly string[]> | undefined;

/** The files of tests that import a file, by its path. */
function callers(): ReadonlyMap<string, readonly string[]> {
  if (found !== undefined) return found;
  const by = new Map<string, string[]>();
  const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => join('test', path))
    .toSorted();
  for (const test of tests) {
    const content = readFileSync(join(root, test), 'utf8');
    for (const [, from = ''] of content.matchAll(/\bfrom '(\.[^']+)'/g)) {
      const path = join(dirname(test), from);
      by.set(path, [...(by.get(path) ?? []), test]);
    }
  }
  found = by;
  return by;
}
