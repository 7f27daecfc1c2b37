// `npm run bench -- compare BASE HEAD`: measures two commits in turns on fresh clusters, A B B A,
// so that a machine that grows slower favours neither, and says what became worse. One harness, of
// this checkout, drives both: only the bundle is the commit's.
import type { CompareCommand } from '../command.ts';
import { type Product, productOf } from '../product.ts';
import { scaleShort } from '../runs.ts';
import { scaleInstalled } from './installed.ts';
import { scaleTraced } from './traced.ts';
import { verdicts, verdictTable, type Pair } from './verdict.ts';

type Say = (line: string) => void;

/** Resolves with the exit code: 1 where a gated figure is worse by more than the limit. */
export async function compare(command: CompareCommand, say: Say): Promise<number> {
  const { pairs: count, limit, set, replicas } = command;
  say(`bundles ${command.base} and ${command.head}`);
  const base = await productOf(command.base);
  const head = await productOf(command.head);
  const pairs: Pair[] = [];
  for (let index = 0; index < count; index++) {
    say(`pair ${index + 1} of ${count}`);
    pairs.push(await pair({ base, head }, index, command, say));
  }
  const rows = verdicts(pairs, limit);
  const worse = rows.filter(({ isWorse }) => isWorse).map(({ figure }) => figure);
  say(`\nbase ${base.commit}, head ${head.commit}\n${verdictTable(rows)}`);
  say(worse.length === 0 ? `nothing is worse by more than ${limit} %` : `worse: ${worse.join()}`);
  const line = { base: base.commit, head: head.commit, set, replicas, pairs: count, limit };
  process.stdout.write(`${JSON.stringify({ ...line, worse, figures: rows })}\n`);
  return worse.length === 0 ? 0 : 1;
}

async function pair(
  products: Readonly<Record<'base' | 'head', Product>>,
  index: number,
  command: CompareCommand,
  say: Say,
): Promise<Pair> {
  const measure = (name: 'base' | 'head') => {
    say(name);
    const run = { ...command, product: products[name], say };
    if (name === 'base') return scaleShort(run);
    if (command.isTraced) return scaleTraced(run);
    return command.isInstalled ? scaleInstalled(run) : scaleShort(run);
  };
  if (index % 2 === 0) return { base: await measure('base'), head: await measure('head') };
  const head = await measure('head');
  return { base: await measure('base'), head };
}
