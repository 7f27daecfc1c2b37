// The help of `npm run bench`, from the table of flags.
import { partNames } from './report/parts.ts';
import { type Command, commands } from './flags.ts';

export function help(): string {
  const rows = Object.entries<Command>(commands).flatMap(
    ([name, { about, operands = [], flags }]) => [
      '',
      `  ${[name, ...operands].join(' ').padEnd(10)} ${about}`,
      ...Object.entries(flags).map(([flag, { value, about: what }]) => {
        const spelled = `--${flag}${value === undefined ? '' : ` ${value}`}`;
        return `      ${spelled.padEnd(26)} ${what}`;
      }),
    ],
  );
  return [
    'Usage: npm run bench -- COMMAND [FLAGS]',
    '',
    'Measures on fresh clusters. Progress and a table on stderr, one JSON line on stdout.',
    'Exit codes: 0 done, 1 a run failed or became worse, 2 wrong arguments.',
    ...rows,
    '',
    `Parts of the report: ${partNames.join(', ')}.`,
    'docs/benchmarks.md says what the figures mean.',
    '',
  ].join('\n');
}
