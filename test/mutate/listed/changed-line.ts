// Judges one changed line by the tests that a statement cites: quick ones, or those that start
// processes and simulate days. Used by judge.ts.
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { root } from '#test/support/source-copy.ts';
import type { Edit } from '../mutant.ts';
import { type Answer, notATest } from '../run/runner.ts';
import type { Tree } from '../run/tree.ts';
import { type Cited, quickFiles, slowFiles } from './cited.ts';
import type { ChangedLine } from './mutant.ts';
import type { Statement } from './statements.ts';

/** How pairs are judged: those that some quick test can judge, and the others. */
export interface Way {
  readonly isSlow: boolean;
  readonly projects: readonly string[];
  readonly testTimeoutMs: number;
  /** For a file of tests. */
  readonly limitMs: number;
  /** Processes share the cores already. */
  readonly sideBySide: number;
}

export const quickly: Way = {
  isSlow: false,
  projects: ['unit', 'system', 'simulated', 'virtual'],
  testTimeoutMs: 30_000,
  limitMs: 5 * 60_000,
  sideBySide: availableParallelism(),
};

export const slowly: Way = {
  isSlow: true,
  projects: [...quickly.projects, 'processes', 'long'],
  testTimeoutMs: 90_000,
  limitMs: 20 * 60_000,
  sideBySide: 1,
};

export interface Outcome {
  readonly falls: boolean;
  readonly why: string;
}

/** Falls where a cited test fails by the mutant, and says what it should. */
export async function changedLine(
  tree: Tree,
  mutant: ChangedLine,
  { cites }: Statement,
  way: Way,
): Promise<Outcome> {
  const text = readFileSync(join(root, mutant.file), 'utf8');
  const start = text.indexOf(mutant.from);
  if (start < 0) return { falls: false, why: `${mutant.file} does not have its text` };
  const edit = { start, end: start + mutant.from.length, text: mutant.to };
  const runs = cites.flatMap((cited) =>
    (way.isSlow ? slowFiles(cited) : quickFiles(cited))
      .filter((file) => mutant.by === undefined || mutant.by === file)
      .map((file): Cited => ({ ...cited, file })),
  );
  if (runs.length === 0) return { falls: false, why: 'its tests need a real control plane' };
  const notes: string[] = [];
  let passed = 0;
  for (const run of runs) {
    const { file, title } = run;
    const answer = await tree.judge(mutant.file, edit, [file], way.limitMs, title);
    const outcome = outcomeOf(answer, file, mutant);
    const isSound = !outcome.falls || !way.isSlow || (await passes(tree, run, way));
    if (outcome.falls && isSound) return outcome;
    if (!isSound) notes.push(`${file} fails without the mutant too`);
    else if (outcome.why !== '') notes.push(outcome.why);
    passed += answer?.files.reduce((sum, result) => sum + result.passed, 0) ?? 0;
  }
  if (passed > 0) notes.unshift(`${passed} tests pass`);
  return { falls: false, why: notes.length > 0 ? notes.join('; ') : 'no test ran' };
}

/** By what the tests of one file say. */
export function outcomeOf(
  answer: Answer | undefined,
  file: string,
  { says }: ChangedLine,
): Outcome {
  if (answer === undefined) return { falls: says === undefined, why: `${file} does not end` };
  const failed = answer.files.flatMap((result) => result.failed);
  const said = [...answer.files.flatMap((result) => result.messages), ...answer.errors];
  const didRun = answer.files.some(({ passed, failed: [name] }) => passed > 0 || name !== notATest);
  if (!didRun && failed.length > 0)
    return { falls: false, why: `${file} does not load: ${said[0]}` };
  const [name = said[0]] = failed;
  if (name === undefined) return { falls: false, why: '' };
  if (says === undefined) return { falls: true, why: `${file}: ${name}` };
  const fitting = said.find((message) => message.includes(says));
  return fitting === undefined
    ? { falls: false, why: `${file}: ${name} says something else: ${said.join(' | ')}` }
    : { falls: true, why: `${file}: ${name}: ${lineOf(fitting, says)}` };
}

const lineOf = (text: string, part: string): string =>
  text.split('\n').find((line) => line.includes(part)) ?? part;

const nothing: Edit = { start: 0, end: 0, text: '' };
const sound = new Map<string, boolean>();

/** What fails without a mutant, or does not run here, shows nothing. */
async function passes(tree: Tree, { file, title }: Cited, { limitMs }: Way): Promise<boolean> {
  const key = `${file} ${title}`;
  const known = sound.get(key);
  if (known !== undefined) return known;
  const answer = await tree.judge(file, nothing, [file], limitMs, title);
  const files = answer?.files ?? [];
  const isSound =
    files.length > 0 &&
    answer?.errors.length === 0 &&
    files.every(({ failed, passed }) => failed.length === 0 && passed > 0);
  sound.set(key, isSound);
  return isSound;
}
