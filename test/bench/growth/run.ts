// `npm run bench -- growth`: deploys of growing size by one process and by several, each on a fresh
// cluster. Every size is stored as soon as it is there; then all are judged, and docs/sizing.md is
// written anew.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '#test/tidy/sources.ts';
import { thisProduct } from '../product.ts';
import { theseVersions, thisMachine } from '../report/machine.ts';
import * as runs from '../runs.ts';
import { aligned } from '../table.ts';
import { podsPerReplica } from '../workload.ts';
import { judgeGrowth } from './judge.ts';
import { type Growth, measureGrowth } from './measure.ts';
import { sizingPage, sizingPath } from './page.ts';
import { type GrowthCommand, nodesFor } from './settings.ts';
import { readGrowths, storeGrowth } from './store.ts';

type Say = (line: string) => void;

/** The exit code: 1 where a bound was missed. */
export async function growth(command: GrowthCommand, say: Say): Promise<number> {
  const measured = command.fromResults ? [] : await measureAll(command, say);
  const rows = command.isTrial
    ? measured
    : readGrowths()
        .filter(({ cluster }) => cluster === command.cluster)
        .map(({ result }) => result);
  const verdicts = judgeGrowth(rows);
  say(
    aligned([
      ['', 'value', 'at most', ''],
      ...verdicts.map(({ what, value, bound, verdict }) => [what, value, bound, verdict]),
    ]),
  );
  if (!command.isTrial) writeFileSync(join(root, sizingPath), sizingPage());
  process.stdout.write(`${JSON.stringify({ ...command, rows, verdicts })}\n`);
  return verdicts.some(({ verdict }) => verdict === 'missed') ? 1 : 0;
}

async function measureAll(command: GrowthCommand, say: Say): Promise<readonly Growth[]> {
  const { commit } = await thisProduct();
  const all: Growth[] = [];
  for (const processes of command.processes) {
    for (const pods of command.pods) {
      const begun = performance.now();
      say(`${pods} pods by ${processes === 1 ? 'one process' : `${processes} processes`}`);
      const result = await measureSize(command, pods, processes, say);
      all.push(result);
      say(`  took ${Math.round((performance.now() - begun) / 1000)} s in all`);
      if (command.isTrial) continue;
      const date = new Date().toISOString().slice(0, 10);
      const about = { machine: thisMachine(), versions: theseVersions() };
      storeGrowth({ cluster: command.cluster, commit, date, ...about, result });
    }
  }
  return all;
}

/** With the floor where it is what the size is held to. */
async function measureSize(
  command: GrowthCommand,
  pods: number,
  processes: number,
  say: Say,
): Promise<Growth> {
  const { cluster, out, quietSeconds, patienceSeconds, idleSeconds } = command;
  const nodes = nodesFor(pods);
  const shared = { cluster, nodes, limits: runs.limitsS2, out, say, quietSeconds, patienceSeconds };
  const isCompared = pods === 1000 && processes === 1;
  const floor = isCompared
    ? await runs.floor({
        ...shared,
        replicas: pods / podsPerReplica,
        floorInFlight: command.floorInFlight,
        idleSeconds,
      })
    : undefined;
  const leases = { enabled: true, namespace: 'default' };
  const rows: Growth[] = [];
  await runs.onFreshWorld(
    'growth',
    { ...shared, ...(processes === 1 ? {} : { configuration: { leases } }) },
    async (world, measure) => {
      const row = await measureGrowth(world, measure(), { pods, processes, idleSeconds });
      rows.push(row);
      return { ...row };
    },
  );
  const [row] = rows;
  if (row === undefined) throw new Error('nothing was measured');
  if (floor === undefined) return row;
  const { floor_client_cpu_s: cpu, floor_ready_s: ready } = floor;
  return { ...row, floor_cpu_s: Number(cpu), floor_s: Number(ready) };
}
