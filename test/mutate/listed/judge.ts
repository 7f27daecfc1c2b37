// `npm run mutate -- --listed`: plants each listed mutant and runs the tests that its statement
// cites; at least one of them must fail. Says too which statements have no mutant.
import { plantedBugs } from '#test/sim/planted/bugs.ts';
import { PlantedCopy } from '#test/sim/planted/copy.ts';
import found from '#test/sim/planted/found.json' with { type: 'json' };
import { type Found, violationsBy } from '#test/sim/planted/search.ts';
import { inParallel } from '../run/parallel.ts';
import type { Tree } from '../run/tree.ts';
import { changedLine, type Outcome, quickly, slowly } from './changed-line.ts';
import { isSlow as isSlowCite } from './cited.ts';
import { listed } from './list.ts';
import type { ListedMutant, PlantedLine } from './mutant.ts';
import { isShownBy, type Statement, statements } from './statements.ts';

interface Pair {
  readonly mutant: ListedMutant;
  readonly statement: Statement;
}

/** True where each listed mutant made a cited test fail. `only`: a pattern of how statements
 *  begin. `isSlow`: those that no quick test can judge, instead of the others. */
export async function judgeListed(
  { only, isSlow }: { readonly only: string; readonly isSlow: boolean },
  say: (line: string) => void,
): Promise<boolean> {
  const known = statements();
  const asked = listed
    .flatMap((mutant) =>
      known
        .filter((statement) => isShownBy(statement, mutant))
        .map((statement) => ({ mutant, statement })),
    )
    .filter(({ statement }) => new RegExp(`^(?:${only})`).test(statement.id));
  const way = isSlow ? slowly : quickly;
  const pairs = asked.filter((pair) => isSlowPair(pair) === isSlow);
  let stands = 0;
  const tell = ({ statement }: Pair, { falls, why }: Outcome): void => {
    if (!falls) stands++;
    say(`${falls ? 'falls' : 'STANDS'} ${statement.id}: ${why}`);
  };
  const options = { bail: 1, seed: 1, ...way };
  const work = async (tree: Tree, pair: Pair): Promise<void> => {
    const { mutant, statement } = pair;
    const judged = 'file' in mutant ? changedLine(tree, mutant, statement, way) : simulated(mutant);
    tell(pair, await judged);
  };
  await inParallel(pairs, options, work, way.sideBySide);
  for (const line of uncovered(known)) say(line);
  say(`listed ${pairs.length} fall ${pairs.length - stands}`);
  const others = asked.length - pairs.length;
  if (others > 0) say(`${others} more are judged ${isSlow ? 'without' : 'with'} --slow`);
  return stands === 0;
}

/** The simulator finds its planted bugs within seconds. */
const isSlowPair = ({ mutant, statement }: Pair): boolean =>
  'file' in mutant && statement.cites.every(isSlowCite);

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
    const without = bare.map(({ id }) => `  without: ${id}`);
    return [`${kind}: ${all.length - bare.length} of ${all.length} have a mutant`, ...without];
  });
}
