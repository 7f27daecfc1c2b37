// `npm run bench -- inspector`: the page beside a bare one, and a deploy with viewers beside one
// without, in turns. A table of verdicts on stderr, all figures as one JSON line on stdout.
import { withoutBrowser } from '#test/inspector/page/browser.ts';
import { type Result, summarize } from '../statistics.ts';
import { aligned, summaryTable } from '../table.ts';
import { measureDeploy } from './controller.ts';
import { judgeViewers, viewersCost } from './judge.ts';
import { measurePage } from './page.ts';
import type { ViewersCommand } from './settings.ts';

type Say = (line: string) => void;

/** The exit code: 1 where a bound was missed, or the browser is. */
export async function viewers(command: ViewersCommand, say: Say): Promise<number> {
  const { only, repeat, rows, replicas, viewers: count } = command;
  if (only !== 'controller' && withoutBrowser !== '') {
    say('bench: there is no Chromium for this machine; --only controller runs without one');
    return 1;
  }
  const results = [
    ...(only === 'controller' ? [] : await measurePage(command, say)),
    ...(only === 'page' ? [] : await measureController(command, say)),
  ];
  const summary = summarize(results);
  const verdicts = judgeViewers(summary.median);
  say(`\n${summaryTable(summary)}`);
  say(
    aligned([
      ['', 'value', 'bound', ''],
      ...verdicts.map(({ what, value, bound, isMet }) =>
        [what, value, bound, isMet ? 'met' : 'missed'].map(String),
      ),
    ]),
  );
  const line = { rows, replicas, viewers: count, repeat, ...summary.median };
  process.stdout.write(`${JSON.stringify({ ...line, spread: summary.spread, verdicts })}\n`);
  return verdicts.every(({ isMet }) => isMet) ? 0 : 1;
}

/** In pairs whose order alternates, so that a machine that grows slower favours neither. */
async function measureController(command: ViewersCommand, say: Say): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let index = 0; index < command.repeat; index++) {
    say(`deploy ${index + 1} of ${command.repeat}, with viewers and without`);
    results.push(await deployPair(command, index, say));
  }
  return results;
}

/** A deploy without viewers and one with them; pairs of an odd index begin with the latter. */
export async function deployPair(
  command: ViewersCommand,
  index: number,
  say: Say,
): Promise<Result> {
  const first = await measureDeploy(command, index % 2 === 0 ? 0 : command.viewers, say);
  const second = await measureDeploy(command, index % 2 === 0 ? command.viewers : 0, say);
  const [without, watched] = index % 2 === 0 ? [first, second] : [second, first];
  return {
    ...prefixed('without', without),
    ...prefixed('watched', watched),
    ...viewersCost(without, watched, command.viewers),
  };
}

const prefixed = (prefix: string, result: Result): Result =>
  Object.fromEntries(Object.entries(result).map(([key, value]) => [`${prefix}_${key}`, value]));
