// `npm run bench -- claims`: each case in pairs of floor and product on fresh clusters, judged by
// the medians. A table of verdicts for each case on stderr, all figures as one JSON line on stdout.
import { type Summary, summarize } from '../statistics.ts';
import type { Result } from '../statistics.ts';
import { aligned, requestTable, summaryTable } from '../table.ts';
import { type ClaimsCase, titleOf } from './cases.ts';
import { judgeClaims, type Verdict, verdictRows } from './judge.ts';
import { audited as runAudited, pair } from './runs.ts';
import type { ClaimsCommand } from './settings.ts';

type Say = (line: string) => void;

/** The exit code: 1 where a bound was missed. */
export async function claims(command: ClaimsCommand, say: Say): Promise<number> {
  const lines: unknown[] = [];
  let missed = 0;
  for (const what of command.cases) {
    const { summary, audited, verdicts } = await measured(what, command, say);
    tell(titleOf(what), summary, audited, verdicts, say);
    missed += verdicts.filter(({ verdict }) => verdict === 'missed').length;
    lines.push({ ...summary.median, ...audited, spread: summary.spread, verdicts });
  }
  const { cluster, server, repeat } = command;
  process.stdout.write(`${JSON.stringify({ cluster, server, repeat, missed, cases: lines })}\n`);
  return missed === 0 ? 0 : 1;
}

async function measured(what: ClaimsCase, command: ClaimsCommand, say: Say) {
  const { cases: _, command: _name, audit: isAudited, repeat, ...settings } = command;
  const options = { ...settings, say };
  const results: Result[] = [];
  for (let index = 0; index < repeat; index++) {
    results.push(await pair(what, options, index));
  }
  const audited = isAudited && what.count > 0 ? await runAudited(what, options) : {};
  const summary = summarize(results);
  return { summary, audited, verdicts: judgeClaims(summary, command, audited) };
}

function tell(
  title: string,
  summary: Summary,
  audited: Result,
  verdicts: readonly Verdict[],
  say: Say,
): void {
  say(`\n${title}\n${summaryTable(summary)}`);
  for (const [key, counts] of Object.entries({ ...summary.median, ...audited })) {
    if (typeof counts === 'object') say(`${key}:\n${requestTable(counts)}`);
  }
  say(`${title}:\n${aligned(verdictRows(verdicts))}`);
}
