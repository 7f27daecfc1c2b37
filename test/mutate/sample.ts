// Judges a sample of mutants with the unit tests that reach them. Used by main.ts.
import { readSources } from '#test/tidy/sources.ts';
import { drawn } from './draw.ts';
import type { Edit, Mutant } from './mutant.ts';
import { allMutants } from './operators/table.ts';
import { type Judged, lineOf } from './report.ts';
import { inParallel } from './run/parallel.ts';
import { quickProjects } from './run/measure.ts';
import { nearestReach } from './run/nearest.ts';
import { measureReach, type Reach } from './run/reach.ts';
import type { Answer } from './run/runner.ts';
import { Tree } from './run/tree.ts';
import { compiling } from './run/typecheck.ts';
import { KeptVerdicts, type Verdict } from './verdict.ts';

export interface SampleOptions {
  readonly count: number;
  readonly seed: number;
  /** Files whose path begins so. */
  readonly only: string;
  /** By this operator alone. */
  readonly operator?: string;
  /** Only so many files of tests for each mutant, by their imports; undefined: all. */
  readonly nearest?: number;
  /** Whether verdicts of earlier runs count. */
  readonly isResumed: boolean;
  readonly say: (line: string) => void;
}

/** Tests of a mutant may take so many times as long as they did without it, and this. */
const patience = 5;
const patienceMs = 60_000;
/** Without a mutant they end. */
const mostMs = 600_000;

export async function judgeSample(options: SampleOptions): Promise<readonly Judged[]> {
  const { seed, nearest, isResumed, say } = options;
  const sources = readSources();
  const reach =
    nearest === undefined ? await measureReach(sources, say) : nearestReach(sources, nearest);
  for (const path of reach.broken) say(`judges nothing, since it fails in a copy: ${path}`);
  const sample = await drawSample(sources, options);
  const kept = KeptVerdicts.read();
  const judged = new Map<Mutant, Verdict>();
  const take = (mutant: Mutant, verdict: Verdict): void => {
    judged.set(mutant, verdict);
    say(`${judged.size}/${sample.length} ${lineOf({ mutant, verdict })}`);
  };
  const left: Mutant[] = [];
  for (const mutant of sample) {
    const tests = reach.testsOf(mutant);
    const known = isResumed ? kept.get(mutant.id, reach.hashOf(tests, mutant.file)) : undefined;
    if (known === undefined) left.push(mutant);
    else take(mutant, known);
  }
  await inParallel(left, { bail: 1, seed, projects: quickProjects }, async (tree, mutant) => {
    const verdict = await judge(tree, mutant, reach);
    await kept.keep(mutant.id, verdict);
    take(mutant, verdict);
  });
  return sample.flatMap((mutant) => {
    const verdict = judged.get(mutant);
    return verdict === undefined ? [] : [{ mutant, verdict }];
  });
}

/** Those that compile, until there are enough. */
async function drawSample(
  sources: ReturnType<typeof readSources>,
  { count, seed, only, operator, say }: SampleOptions,
): Promise<readonly Mutant[]> {
  const mutants = allMutants(sources).filter(
    (mutant) =>
      mutant.file.startsWith(only) && (operator === undefined || mutant.operator === operator),
  );
  say(`draws ${count} of ${mutants.length} mutants with seed ${seed}, and checks their types`);
  const tree = await Tree.make({ bail: 1, seed, projects: quickProjects });
  try {
    const sample: Mutant[] = [];
    for await (const mutant of compiling(tree, sources, drawn(mutants, seed))) {
      if (sample.length === count) break;
      sample.push(mutant);
    }
    return sample;
  } finally {
    await tree.remove();
  }
}

async function judge(tree: Tree, mutant: Mutant, reach: Reach): Promise<Verdict> {
  let tests = reach.testsOf(mutant);
  const hash = reach.hashOf(tests, mutant.file);
  if (tests.length === 0) return { outcome: 'unreached', tests: hash };
  for (;;) {
    const limitMs = patience * reach.msOf(tests) + patienceMs;
    const answer = await judgeInTime(tree, mutant, tests, limitMs);
    if (answer === undefined) return { outcome: 'timeout' };
    const failed = answer.files.find((file) => file.failed.length > 0);
    if (failed !== undefined && !(await isSound(tree, mutant.file, failed.path, reach))) {
      tests = tests.filter((path) => path !== failed.path);
      continue;
    }
    const by = failed === undefined ? answer.errors[0] : `${failed.path} ${failed.failed[0]}`;
    return by === undefined ? { outcome: 'survived', tests: hash } : { outcome: 'killed', by };
  }
}

/** On a busy machine the same tests may take as long without the mutant: it gets more time then. */
async function judgeInTime(
  tree: Tree,
  mutant: Mutant,
  tests: readonly string[],
  limitMs: number,
): Promise<Answer | undefined> {
  const answer = await tree.judge(mutant.file, mutant, tests, limitMs);
  if (answer !== undefined) return answer;
  const from = performance.now();
  await tree.judge(mutant.file, nothing, tests, mostMs);
  const moreMs = patience * (performance.now() - from);
  return moreMs > limitMs ? tree.judge(mutant.file, mutant, tests, moreMs) : undefined;
}

const nothing: Edit = { start: 0, end: 0, text: '' };

/** What fails without a mutant judges none. */
const isSound = (tree: Tree, file: string, path: string, reach: Reach): Promise<boolean> =>
  reach.isSound(path, async () => {
    const answer = await tree.judge(file, nothing, [path], patienceMs);
    return answer?.files.every(({ failed }) => failed.length === 0) === true;
  });
