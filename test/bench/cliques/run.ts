// `npm run bench -- cliques`: every load in blocks, each block all strategies in an order of its
// own; the first blocks warm up and are thrown away. Leaves a line for each measurement and the
// page of tables beside the timelines of the other benchmarks.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '#actors/ports.ts';
import { seeded } from '#test/support/virtual-clock.ts';
import { thisCommit } from '../product.ts';
import { thisMachine } from '../report/machine.ts';
import { RunFolder, runsFolder } from '../timeline.ts';
import { forkedCentral } from './central/forked.ts';
import { ForkedDaemons } from './daemons/forked.ts';
import { measure, type Players } from './measure.ts';
import { type Cell, page } from './page.ts';
import { percentile } from '../statistics.ts';
import { type Column, columnOf, type Measured } from './samples.ts';
import type { CliquesCommand } from './settings.ts';
import { type Stage, startStage } from './stage/stage.ts';
import type { StrategyName } from './strategies.ts';

type Say = (line: string) => void;

const processes: Players = {
  makeDaemons: () => new ForkedDaemons(),
  makeCentral: forkedCentral,
};

/** The exit code: 1 where a measurement does not count. */
export async function cliques(command: CliquesCommand, say: Say): Promise<number> {
  const { command: _, out = runsFolder, ...settings } = command;
  const folder = new RunFolder(out, {
    benchmark: 'cliques',
    commit: await thisCommit(),
    settings,
  });
  const nodes = Math.max(...command.sizes) * Math.max(...command.cliques);
  const stage = await startStage({ ...command, nodes });
  const keep = (run: unknown): void => {
    appendFileSync(join(folder.path, 'runs.jsonl'), `${JSON.stringify(run)}\n`);
  };
  const cells: Cell[] = [];
  try {
    for (const size of command.sizes) {
      for (const count of command.cliques) {
        for (const spreadSeconds of command.spreads) {
          const load = { size, cliques: count, spreadSeconds };
          const columns = await measureCell(stage, command, load, { say, keep });
          cells.push({ ...load, capSeconds: command.capSeconds, columns });
        }
      }
    }
  } finally {
    folder.write([]);
    await stage.stop();
  }
  const text = page(cells, aboutOf(command));
  writeFileSync(join(folder.path, 'cliques.md'), text);
  say(`\n${text}\ntimeline: ${folder.path}`);
  process.stdout.write(`${JSON.stringify({ ...settings, cells: cells.map(lineOf) })}\n`);
  const isVoid = cells.some(({ columns }) =>
    [...columns.values()].some((one) => one.isVoid.length),
  );
  return isVoid ? 1 : 0;
}

type CellLoad = Pick<Cell, 'size' | 'cliques' | 'spreadSeconds'>;
interface Tell {
  readonly say: Say;
  readonly keep: (run: unknown) => void;
}

async function measureCell(
  stage: Stage,
  command: CliquesCommand,
  load: CellLoad,
  { say, keep }: Tell,
): Promise<ReadonlyMap<StrategyName, Column>> {
  const runs = new Map<StrategyName, Measured[]>(command.strategies.map((name) => [name, []]));
  const { repetitions, warmUps } = command;
  for (let block = 0; block < warmUps + repetitions; block++) {
    const seed = command.seed * 1000 + block;
    const isKept = block >= warmUps;
    for (const strategy of shuffled(command.strategies, seeded(seed))) {
      const options = { ...command, ...load, strategy, seed, warmUpCliques };
      const measured = await measure(stage, options, processes);
      keep({ ...load, strategy, block, isKept, ...measured });
      if (isKept) runs.get(strategy)?.push(measured);
      say(inWords({ ...load, strategy, block }, measured));
    }
  }
  return new Map([...runs].map(([name, some]) => [name, columnOf(some)]));
}

/** Cliques that each measurement begins with, and that are not counted. */
const warmUpCliques = 2;

export function shuffled<T>(values: readonly T[], random: Random): readonly T[] {
  const keyed = values.map((value) => ({ value, key: random.next() }));
  return keyed.toSorted((one, other) => one.key - other.key).map(({ value }) => value);
}

function inWords(
  { strategy, block, ...load }: CellLoad & { readonly strategy: string; readonly block: number },
  { times, counts, isVoid }: Measured,
): string {
  const { size, cliques: count, spreadSeconds } = load;
  const { writes, conflicts_409, apiserver_cpu_s } = counts;
  const figures = [
    `agree ${percentile(times.agree, 50)} ms`,
    `local ${percentile(times.local, 50)} ms`,
    `${apiserver_cpu_s ?? '?'} CPU s of the server`,
    `${writes} writes, ${conflicts_409} conflicts`,
    ...(isVoid === undefined ? [] : [`VOID: ${isVoid}`]),
  ];
  return `${size} x ${count}, ${spreadSeconds} s, block ${block}, ${strategy}: ${figures.join(', ')}`;
}

function aboutOf({ cluster, limit, isGuarded, repetitions, domains, probes }: CliquesCommand) {
  const { cpu, cores, memory_gib } = thisMachine();
  const words = [
    `${cluster === 'real' ? 'Real control plane' : 'Embedded cluster'} on ${cores} cores`,
    `(${cpu}, ${memory_gib} GiB), shared by server and clients`,
    `${repetitions} measurements of each strategy after a warm-up`,
    limit === undefined ? 'clients without limit' : `${limit.qps}/s, burst ${limit.burst} a client`,
    isGuarded ? 'the CRD refuses shared indices' : 'the CRD as NVIDIA ships it',
    domains === 'one' ? 'one domain' : 'a domain for each clique',
    probes === 'spread' ? 'probes at any moment' : 'probes as late as can be',
  ];
  return `${words.join('; ')}.`;
}

const percents = [50, 95, 99] as const;

/** For the line on stdout: percentiles in place of the samples. */
const lineOf = ({ columns, ...load }: Cell): unknown => ({
  ...load,
  strategies: Object.fromEntries(
    [...columns].map(([name, { times, counts, requests, runs, isVoid }]) => [
      name,
      {
        runs,
        isVoid,
        requests,
        times_ms: Object.fromEntries(
          Object.entries(times).map(([key, values]: [string, readonly number[]]) => [
            key,
            Object.fromEntries(percents.map((one) => [`p${one}`, percentile(values, one)])),
          ]),
        ),
        counts: Object.fromEntries(Object.entries(counts).map(([key, [middle]]) => [key, middle])),
      },
    ]),
  ),
});
