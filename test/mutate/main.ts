// `npm run mutate`: puts plausible bugs into copies of the sources and runs the unit tests that
// reach them; says which bugs nothing caught. With --listed it shows that every sentence of
// docs/guarantees.md, and the rules of the specs, fall with their line.
import { flagsOrEnd } from '#test/support/flags.ts';
import { judgeListed } from './listed/judge.ts';
import { operators } from './operators/table.ts';
import { percent, rateOf, report } from './report.ts';
import { judgeSample } from './sample.ts';

const usage = `Usage: npm run mutate [-- FLAGS]
Draws bugs by seed, with the same weight for each operator and folder, and runs the unit tests that
reach them, on all cores and on copies of the checkout. Ends with 1 where too many survived.

Operators: ${Object.keys(operators).join(', ')}.`;

const { values } = flagsOrEnd(
  usage,
  {
    sample: { type: 'string', value: 'N', default: '40', about: 'how many (40)' },
    seed: { type: 'string', value: 'N', default: '1', about: 'which ones (1)' },
    only: { type: 'string', value: 'PATH', default: '', about: 'in this file or folder alone' },
    operator: { type: 'string', value: 'NAME', about: 'by this operator alone' },
    nearest: {
      type: 'string',
      value: 'N',
      about: 'runs the N nearest files of tests alone, and measures nothing: others may catch more',
    },
    resume: {
      type: 'boolean',
      default: false,
      about: 'verdicts of earlier runs count; survivors run where tests changed',
    },
    least: { type: 'string', value: 'N', default: '0', about: 'percent that must be killed (0)' },
    listed: {
      type: 'boolean',
      default: false,
      about: 'instead, those of guarantees and rules; --only: a pattern of how their text begins',
    },
    slow: {
      type: 'boolean',
      default: false,
      about:
        'with --listed: those that only processes and simulated days can judge; an hour or two',
    },
  },
  false,
);

// Whoever ends a run leaves nothing behind: see run/tree.ts.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));

const say = (line: string): void => console.log(line);
const { operator, only, nearest } = values;
if (operator !== undefined && operators[operator] === undefined) {
  const known = Object.keys(operators).join(', ');
  process.stderr.write(`--operator must be one of ${known}, not "${operator}"\n`);
  process.exit(2);
}

if (values.listed) {
  process.exitCode = (await judgeListed({ only, isSlow: values.slow }, say)) ? 0 : 1;
} else {
  const judged = await judgeSample({
    count: Number(values.sample),
    seed: Number(values.seed),
    only,
    ...(operator === undefined ? {} : { operator }),
    ...(nearest === undefined ? {} : { nearest: Number(nearest) }),
    isResumed: values.resume,
    say,
  });
  for (const line of report(judged)) say(line);
  const least = Number(values.least) / 100;
  const isEnough = rateOf(judged) >= least;
  if (!isEnough) say(`at least ${percent(least)} must be killed`);
  process.exitCode = isEnough ? 0 : 1;
}
