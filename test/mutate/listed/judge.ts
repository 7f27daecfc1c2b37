// `npm run mutate -- --listed`: plants each listed mutant and runs the tests that its statement
// cites; at least one of them must fail. Says too which statements have no mutant yet.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { plantedBugs } from '#test/sim/planted/bugs.ts';
import { PlantedCopy } from '#test/sim/planted/copy.ts';
import found from '#test/sim/planted/found.json' with { type: 'json' };
import { type Found, violationsBy } from '#test/sim/planted/search.ts';
import { root } from '#test/support/source-copy.ts';
import { inParallel } from '../run/parallel.ts';
import type { Tree } from '../run/tree.ts';
import { listed } from './list.ts';
import type { ChangedLine, ListedMutant, PlantedLine } from './mutant.ts';
import { isShownBy, isSlow, type Statement, statements } from './statements.ts';

/** All but what starts processes for minutes. */
const projects = ['unit', 'system', 'simulated', 'virtual'];
const limitMs = 5 * 60_000;

interface Pair {
  readonly mutant: ListedMutant;
  readonly statement: Statement;
}

interface Outcome {
  readonly falls: boolean;
  readonly why: string;
}

/** True where each listed mutant made a cited test fail. `only`: a pattern of how statements
 *  begin. */
export async function judgeListed(only: string, say: (line: string) => void): Promise<boolean> {
  const known = statements();
  const pairs = listed
    .flatMap((mutant) =>
      known
        .filter((statement) => isShownBy(statement, mutant))
        .map((statement) => ({ mutant, statement })),
    )
    .filter(({ statement }) => new RegExp(`^(?:${only})`).test(statement.id));
  let stands = 0;
  const tell = ({ statement }: Pair, { falls, why }: Outcome): void => {
    if (!falls) stands++;
    say(`${falls ? 'falls' : 'STANDS'} ${statement.id}: ${why}`);
  };
  await inParallel(pairs, { bail: 1, seed: 1, projects }, async (tree, pair) => {
    const { mutant, statement } = pair;
    if ('file' in mutant) tell(pair, await changed(tree, mutant, statement));
    else tell(pair, await simulated(mutant));
  });
  for (const line of uncovered(known)) say(line);
  say(`listed ${pairs.length} fall ${pairs.length - stands}`);
  return stands === 0;
}

async function changed(tree: Tree, mutant: ChangedLine, { cites }: Statement): Promise<Outcome> {
  const text = readFileSync(join(root, mutant.file), 'utf8');
  const start = text.indexOf(mutant.from);
  const edit = { start, end: start + mutant.from.length, text: mutant.to };
  let passed = 0;
  for (const { file, title } of cites.filter((cited) => !isSlow(cited))) {
    const answer = await tree.judge(mutant.file, edit, [file], limitMs, title);
    if (answer === undefined) return { falls: true, why: `${file} does not end` };
    const [failed] = answer.files.flatMap((result) => result.failed);
    if (failed !== undefined) return { falls: true, why: `${file}: ${failed}` };
    if (answer.errors[0] !== undefined) return { falls: true, why: answer.errors[0] };
    passed += answer.files.reduce((sum, result) => sum + result.passed, 0);
  }
  return { falls: false, why: passed > 0 ? `${passed} tests pass` : 'no test ran' };
}

async function simulated({ planted, says }: PlantedLine): Promise<Outcome> {
  const bug = plantedBugs.find(({ id }) => id === planted);
  const table: Found = found;
  const seeds = (table[planted] ?? []).filter((seed) => seed !== null);
  if (bug === undefined) throw new Error(`there is no planted bug "${planted}"`);
  const copy = await PlantedCopy.make();
  try {
    const violations = await violationsBy(copy, bug, seeds);
    const fitting = violations.find((violation) => violation.includes(says));
    const why = `with the planted bug ${planted}: ${fitting ?? violations.join('; ')}`;
    return { falls: fitting !== undefined, why };
  } finally {
    await copy.remove();
  }
}

/** Counts of statements with a mutant, and those that have none. */
function uncovered(known: readonly Statement[]): readonly string[] {
  return Object.entries(Object.groupBy(known, ({ kind }) => kind)).flatMap(([kind, all]) => {
    const bare = all.filter((one) => !listed.some((mutant) => isShownBy(one, mutant)));
    const slow = bare.filter(({ cites }) => cites.every(isSlow));
    const ids = bare.filter((one) => !slow.includes(one)).map(({ id }) => id);
    return [
      `${kind}: ${all.length - bare.length} of ${all.length} have a mutant; of the others ` +
        `${slow.length} are shown by whole processes or days alone`,
      ...(kind === 'rules'
        ? [`  without: ${ids.join(', ')}`]
        : ids.map((id) => `  without: ${id}`)),
    ];
  });
}
