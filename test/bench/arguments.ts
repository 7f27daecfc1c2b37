// The arguments of one command of `npm run bench`, read by its table of flags. Whatever is wrong is
// a UsageError whose sentence says what would be right.
import { parseArgs } from 'node:util';
import { didYouMean } from '#src/config/nearest.ts';
import { type Command, type CommandName, commands } from './flags.ts';

export class UsageError extends Error {}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

export function integer(flag: string, word: string, { least, most }: Bounds): number {
  const value = /^\d+$/.test(word) ? Number(word) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new UsageError(`--${flag} must be a whole number from ${least} to ${most}, not "${word}"`);
}

export function choice<T extends string>(flag: string, word: string, choices: readonly T[]): T {
  const found = choices.find((one) => one === word);
  if (found !== undefined) return found;
  throw new UsageError(
    `--${flag} must be one of ${choices.join(', ')}, not "${word}"${didYouMean(word, choices)}`,
  );
}

/** The flags of one command as they were given. */
export class Arguments {
  readonly #given = new Map<string, string>();
  /** What is no flag, as the command wants it. */
  readonly operands: readonly string[];

  constructor(name: CommandName, args: readonly string[]) {
    const { flags, operands = [] }: Command = commands[name];
    const values: string[] = [];
    const options = Object.fromEntries(
      Object.entries(flags).map(([flag, { value }]) => [
        flag,
        { type: value === undefined ? ('boolean' as const) : ('string' as const) },
      ]),
    );
    const { tokens } = parseArgs({
      args: [...args],
      options,
      strict: false,
      allowPositionals: true,
      tokens: true,
    });
    for (const token of tokens) {
      if (token.kind === 'positional') {
        values.push(token.value);
        if (values.length <= operands.length) continue;
        throw new UsageError(`${name} takes no argument "${token.value}"; flags begin with --`);
      }
      if (token.kind !== 'option') continue;
      const flag = Object.hasOwn(flags, token.name) ? flags[token.name] : undefined;
      if (flag === undefined) {
        const others = didYouMean(token.name, Object.keys(flags));
        throw new UsageError(`${name} has no flag "${token.rawName}"${others}; see --help`);
      }
      this.#take(token.name, flag.value, token.value);
    }
    this.operands = values;
    if (values.length === operands.length) return;
    throw new UsageError(`${name} wants ${operands.join(' and ')}: ${name} ${operands.join(' ')}`);
  }

  has(flag: string): boolean {
    return this.#given.has(flag);
  }

  text(flag: string): string | undefined {
    return this.#given.get(flag);
  }

  integer(flag: string, fallback: number, bounds: Bounds = { least: 1, most: 1_000_000 }): number {
    const word = this.#given.get(flag);
    return word === undefined ? fallback : integer(flag, word, bounds);
  }

  choice<T extends string>(flag: string, choices: readonly T[], fallback: T): T {
    const word = this.#given.get(flag);
    return word === undefined ? fallback : choice(flag, word, choices);
  }

  list(flag: string, fallback: readonly string[]): readonly string[] {
    return this.#given.get(flag)?.split(',') ?? fallback;
  }

  #take(name: string, value: string | undefined, given: string | undefined): void {
    if (value === undefined && given !== undefined) {
      throw new UsageError(`--${name} is a switch and takes no value, not "${given}"`);
    }
    if (value !== undefined && (given === undefined || given === '' || given.startsWith('--'))) {
      throw new UsageError(`--${name} wants a value: --${name} ${value}`);
    }
    this.#given.set(name, given ?? '');
  }
}
