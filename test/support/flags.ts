// The flags of a script from one table: what is read, and what `--help` prints. Arguments that are
// wrong end the process with a sentence and exit code 2, before anything has begun.
import { parseArgs } from 'node:util';

interface FlagRow {
  readonly type: 'string' | 'boolean';
  readonly default?: string | boolean;
  /** What stands for the value in the help; `N` is a whole number. */
  readonly value?: string;
  readonly about: string;
}

type FlagTable = Readonly<Record<string, FlagRow>>;

const helpOf = (table: FlagTable): string =>
  Object.entries(table)
    .map(([name, { value = '', about }]) => `  ${`--${name} ${value}`.padEnd(24)} ${about}\n`)
    .join('');

/** Flags and other words; or the end of the process, with the help or with what is wrong. */
export function flagsOrEnd<T extends FlagTable>(
  usage: string,
  table: T,
  allowPositionals: boolean,
) {
  const args = process.argv.slice(2);
  if (args.includes('--help') || args.includes('-h')) {
    process.stdout.write(`${usage}\n\n${helpOf(table)}`);
    process.exit(0);
  }
  try {
    const read = parseArgs({ args, options: table, allowPositionals });
    const given: Readonly<Record<string, unknown>> = read.values;
    for (const [name, { value }] of Object.entries<FlagRow>(table)) {
      const word = given[name] ?? '0';
      if (value === 'N' && !/^\d+$/.test(String(word))) {
        throw new Error(`--${name} must be a whole number, not "${String(word)}"`);
      }
    }
    return read;
  } catch (error) {
    // Without the advice for rarer cases that Node adds.
    const [why = ''] = (error as Error).message.split(/[.\n]/);
    process.stderr.write(`${why}; see --help\n`);
    process.exit(2);
  }
}
