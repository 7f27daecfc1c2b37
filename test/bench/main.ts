// `npm run bench -- COMMAND`: progress and a table on stderr, one JSON line on stdout. Ends with 0,
// with 1 when a run failed and with 2 for wrong arguments; a signal takes all clusters down first.
import { whyNotUp } from '#test/cluster/up.ts';
import { activatorMicro } from './activator/run.ts';
import { admission } from './admission/run.ts';
import { UsageError } from './arguments.ts';
import { claims } from './claims/run.ts';
import { cliques } from './cliques/run.ts';
import { type BenchCommand, readCommand } from './command.ts';
import { compare } from './compare/compare.ts';
import { activatorCores } from './cores/run.ts';
import { growth } from './growth/run.ts';
import { help } from './help.ts';
import { pick } from './pick.ts';
import { activatorProxy } from './proxy/run.ts';
import { report } from './report/run.ts';
import * as runs from './runs.ts';
import { type Result, type Summary, summarize } from './statistics.ts';
import { knee, sweepRows, sweepSteps } from './sweep.ts';
import { aligned, requestTable, summaryTable } from './table.ts';
import { stopWorlds } from './undoing.ts';
import { viewers } from './viewers/run.ts';

const say = (line: string): void => {
  process.stderr.write(`${line}\n`);
};

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    say(`${signal}: takes everything down`);
    void stopWorlds().finally(() => process.exit(1));
  });
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  say(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
  process.exitCode = 1;
}

/** The exit code. Rejects where a run fails. */
async function main(argv: readonly string[]): Promise<number> {
  try {
    const command = readCommand(argv);
    const problem = needsRealCluster(command) ? await whyNotUp() : undefined;
    if (problem === undefined) return await run(command);
    say(`bench: ${problem}`);
    return 1;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    say(`bench: ${error.message}`);
    return 2;
  }
}

function needsRealCluster(command: BenchCommand): boolean {
  const { command: name } = command;
  if (name === 'help' || name === 'pick' || name === 'inspector') return false;
  if (name === 'activator-micro' || name === 'activator-cores') return false;
  if (name === 'activator-proxy' || name === 'admission') return false;
  if (name === 'growth' && command.fromResults) return false;
  if (name !== 'report') return command.cluster === 'real';
  return (
    !command.fromResults &&
    command.only.some((part) => !['embedded', 'inspector', 'pick', 'road'].includes(part))
  );
}

async function run(command: BenchCommand): Promise<number> {
  switch (command.command) {
    case 'help':
      process.stdout.write(help());
      return 0;
    case 'scale':
      await runScale(command);
      return 0;
    case 'floor': {
      const results = await repeat(command.repeat, () => runs.floor({ ...command, say }));
      print(command, summarize(results));
      return 0;
    }
    case 'calibrate': {
      const server = await runs.calibration({ ...command, say }, command.requests);
      print({ ...command, limits: runs.limitsS2 }, summarize([server]));
      return 0;
    }
    case 'sweep':
      await runSweep(command);
      return 0;
    case 'claims':
      return claims(command, say);
    case 'churn': {
      const result = await runs.churn({ ...command, say });
      print({ ...command, limits: runs.limitsS2 }, summarize([result]));
      return result['growing'] === '' ? 0 : 1;
    }
    case 'update': {
      const pairs = await repeat(command.pairs, () => runs.updatePair({ ...command, say }));
      print(command, summarize(pairs));
      return 0;
    }
    case 'compare':
      return compare(command, say);
    case 'cliques':
      return cliques(command, say);
    case 'pick':
      return pick(command, say);
    case 'activator-micro':
      return activatorMicro(command, say);
    case 'activator-cores':
      return activatorCores(command, say);
    case 'activator-proxy':
      return activatorProxy(command, say);
    case 'growth':
      return growth(command, say);
    case 'admission':
      return admission(command, say);
    case 'inspector':
      return viewers(command, say);
    case 'report':
      return report(command, say);
  }
}

async function repeat(times: number, act: (index: number) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < times; index++) {
    if (times > 1) say(`run ${index + 1} of ${times}`);
    results.push(await act(index));
  }
  return results;
}

async function runScale(command: BenchCommand & { command: 'scale' }): Promise<void> {
  const options = { ...command, say };
  const { cluster, calibrationRequests, withFloor, audit } = command;
  const isCalibrated = cluster === 'real' && calibrationRequests > 0;
  const server = isCalibrated ? await runs.calibration(options, calibrationRequests) : {};
  const once = withFloor ? runs.pair : runs.scale;
  const results = await repeat(command.repeat, (index) => once(options, index));
  if (audit) say('the audited run');
  const { requests: counts, ...counted } = audit ? await runs.audited(options) : {};
  const summary = summarize(results);
  const median = { ...server, ...summary.median };
  if (!audit) return print(command, { ...summary, median });
  const by = { counted_by: 'audit log', writes_by_own_count: summary.median['writes'] ?? 0 };
  const requests = counts === undefined ? {} : { requests: counts };
  print(command, { ...summary, median: { ...median, ...counted, ...requests, ...by } });
}

async function runSweep(command: BenchCommand & { command: 'sweep' }): Promise<void> {
  const options = { ...command, say };
  const results: Result[] = [];
  await repeat(command.repeat, async () => {
    for (const inFlight of command.steps) {
      say(`${inFlight} in flight`);
      results.push(await runs.sweepStep(options, inFlight));
    }
    return {};
  });
  const steps = sweepSteps(results);
  say(aligned(sweepRows(steps)));
  const line = { cluster: command.cluster, limits: command.limits.name, repeat: command.repeat };
  const sweep = steps.map(({ inFlight, median }) => ({ in_flight: inFlight, ...median }));
  process.stdout.write(`${JSON.stringify({ ...line, knee: knee(steps), sweep })}\n`);
}

/** The table on stderr, the line on stdout. */
function print(
  { cluster, limits }: { readonly cluster: string; readonly limits: runs.Limits },
  summary: Summary,
): void {
  const { runs: count, median, spread } = summary;
  say(`\n${summaryTable(summary)}`);
  for (const key of ['floor_requests', 'requests']) {
    const counts = median[key];
    if (typeof counts === 'object') say(`${key}:\n${requestTable(counts)}`);
  }
  const line = { cluster, limits: limits.name, repeat: count, ...median };
  process.stdout.write(`${JSON.stringify(count > 1 ? { ...line, spread } : line)}\n`);
}
