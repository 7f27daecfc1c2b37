// Which unit tests reach which block of the sources. Measured once in a copy with probes and kept
// in .cache/mutate/reach.json; later only those tests are measured again of which a file changed.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { root } from '#test/support/source-copy.ts';
import type { Source } from '#test/tidy/sources.ts';
import type { Edit, Mutant } from '../mutant.ts';
import { graphOf } from './graph.ts';
import { type Entered, measure } from './measure.ts';
import { blockAt, blocksOf } from './probes.ts';

/** Folders of tests that are no unit tests: they start the whole product or other programs, or
 *  compare texts of the project with each other. */
const noUnits = [
  'bench',
  'bundle',
  'charts',
  'ci',
  'cluster',
  'conformance/cluster',
  'conformance/kubectl',
  'crds',
  'devcluster',
  'e2e',
  'launch',
  'module',
  'mutate',
  'natsserver',
  'plugin',
  'replay',
  'rules',
  'sim',
  'tidy',
].map((folder) => `test/${folder}/`);

export const isUnit = (path: string): boolean =>
  path.endsWith('.test.ts') &&
  path !== 'test/tidy.test.ts' &&
  !noUnits.some((folder) => path.startsWith(folder));

interface Measured extends Entered {
  /** Of all that it loads. */
  readonly hash: string;
}

type Measures = Readonly<Record<string, Measured>>;

export interface Reach {
  /** The tests that reach a mutant; those first that are nearest to it, then the quickest. */
  readonly testsOf: (mutant: Mutant) => readonly string[];
  readonly msOf: (tests: readonly string[]) => number;
  /** Changes when one of these tests, or what it loads besides the file, does. */
  readonly hashOf: (tests: readonly string[], file: string) => string;
  readonly broken: readonly string[];
  /** Whether the file of tests passes without a mutant; `run` runs it so. */
  readonly isSound: (path: string, run: () => Promise<boolean>) => Promise<boolean>;
}

const kept = join(root, '.cache/mutate/reach.json');

export async function measureReach(
  sources: readonly Source[],
  say: (line: string) => void,
): Promise<Reach> {
  const graph = graphOf(sources);
  const tests = sources.flatMap(({ path }) => (isUnit(path) ? [path] : []));
  const before: Measures = JSON.parse(await readFile(kept, 'utf8').catch(() => '{}'));
  const hashes = new Map(tests.map((path) => [path, graph.hashOf(graph.loadedBy(path))]));
  const stale = tests.filter((path) => before[path]?.hash !== hashes.get(path));
  let now = before;
  if (stale.length > 0) {
    say(`measures which blocks ${stale.length} of ${tests.length} files of tests enter`);
    const measured = Object.entries(await measure(sources, stale)).map(([path, entered]) => {
      return [path, { ...entered, hash: hashes.get(path) ?? '' }] as const;
    });
    now = { ...before, ...Object.fromEntries(measured) };
    await mkdir(dirname(kept), { recursive: true });
    await writeFile(kept, JSON.stringify(now));
  }
  const valid = tests.flatMap((path) => {
    const one = now[path];
    return one === undefined ? [] : [{ path, ...one }];
  });
  return reachOf(sources, valid, graph);
}

function reachOf(
  sources: readonly Source[],
  tests: readonly (Measured & { readonly path: string })[],
  graph: ReturnType<typeof graphOf>,
): Reach {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const judging = tests.filter(({ isBroken }) => !isBroken);
  const isOnImport = (file: string, block: number): boolean =>
    block < 0 || tests.some(({ loading }) => loading[file]?.includes(block) === true);
  const duration = new Map(judging.map(({ path, ms }) => [path, ms]));
  return {
    broken: tests.flatMap(({ path, isBroken }) => (isBroken ? [path] : [])),
    isSound: () => Promise.resolve(true),
    msOf: (paths) => paths.reduce((sum, path) => sum + (duration.get(path) ?? 0), 0),
    hashOf: (paths, file) =>
      graph.hashOf(
        new Set(paths.flatMap((path) => [...graph.loadedBy(path)])).difference(new Set([file])),
      ),
    testsOf: ({ file, ...edit }) => {
      const source = byPath.get(file);
      if (source === undefined) return [];
      const block = blockOf(source, edit);
      const loads = isOnImport(file, block);
      return judging
        .filter(
          ({ path, running }) =>
            running[file]?.includes(block) === true || (loads && graph.loadedBy(path).has(file)),
        )
        .toSorted((a, b) => nearness(b.path, file) - nearness(a.path, file) || a.ms - b.ms)
        .map(({ path }) => path);
    },
  };
}

const memo = new WeakMap<Source, ReturnType<typeof blocksOf>>();

function blockOf(source: Source, edit: Edit): number {
  const blocks = memo.get(source) ?? blocksOf(source);
  memo.set(source, blocks);
  return blockAt(blocks, edit);
}

/** How many folders a test and a source have in common, as tests mirror the sources. */
export function nearness(test: string, file: string): number {
  const ofTest = test.split('/').slice(1);
  const ofFile = file.split('/').slice(file.startsWith('src/') ? 1 : 0);
  const apart = ofFile.findIndex((name, index) => name !== ofTest[index]);
  const isNamesake = ofTest.at(-1)?.split('.')[0] === ofFile.at(-1)?.split('.')[0];
  return (apart < 0 ? ofFile.length : apart) + (isNamesake ? 1 : 0);
}
