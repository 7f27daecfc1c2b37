// argv to a typed command, or a sentence that says what is wrong with it and what would be right.
// Called by main.ts alone.
import { parseArgs } from 'node:util';
import { didYouMean } from '#src/config/nearest.ts';
import { type Command, type CommandName, commands, type Flag } from './commands.ts';

type FlagValue<F extends Flag> = F extends { many: true }
  ? readonly string[]
  : F['type'] extends 'boolean'
    ? boolean
    : F extends { fallback: infer _ }
      ? F['type'] extends 'number'
        ? number
        : string
      : (F['type'] extends 'number' ? number : string) | undefined;

export type FlagValues<C extends Command> = {
  readonly [K in keyof C['flags']]: FlagValue<C['flags'][K]>;
};

/** One command with all its flags, defaults filled in. */
export type Invocation = {
  [C in CommandName]: { readonly command: C; readonly flags: FlagValues<(typeof commands)[C]> };
}[CommandName];

export type Parsed =
  | { readonly ok: true; readonly invocation: Invocation }
  | { readonly ok: false; readonly message: string };

const wrong = (message: string): Parsed => ({ ok: false, message });

/** `argv` without node and the script. */
export function parse(argv: readonly string[]): Parsed {
  const [first = 'help', ...rest] = startsPod(argv) ? ['init', ...argv] : argv;
  const name =
    first === '--help' || first === '-h'
      ? 'help'
      : first === '--version' || first === '-v'
        ? 'version'
        : first;
  if (!isCommandName(name)) {
    return wrong(
      `unknown command "${name}"${meant(name, Object.keys(commands))}; try "coppice help"`,
    );
  }
  if (rest.includes('--help') || rest.includes('-h')) {
    return { ok: true, invocation: { command: 'help', flags: {} } };
  }
  return read(name, commands[name], rest);
}

/** The init container of a pod has arguments and no command (spec controllers 6.2). */
const startsPod = ([first = '']: readonly string[]): boolean => /^(--podcliques|-p)/.test(first);

const isCommandName = (name: string): name is CommandName => Object.hasOwn(commands, name);

function read(name: CommandName, command: Command, args: readonly string[]): Parsed {
  const said = readArguments(`coppice ${name}`, command.flags, args);
  if (!said.ok) return said;
  const [word] = said.words;
  if (word !== undefined) return wrong(`coppice ${name} takes no argument "${word}"`);
  // Every flag of the command was given its default and then values of its own type only.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { ok: true, invocation: { command: name, flags: said.flags } as unknown as Invocation };
}

export type Arguments =
  | {
      readonly ok: true;
      /** All of the table, defaults filled in, each of the type that its row says. */
      readonly flags: Readonly<Record<string, unknown>>;
      /** What is no flag, in order. */
      readonly words: readonly string[];
    }
  | { readonly ok: false; readonly message: string };

/** `said`: the command as people write it, for messages. */
export function readArguments(
  said: string,
  table: Command['flags'],
  args: readonly string[],
): Arguments {
  const options = Object.fromEntries(
    Object.entries(table).map(([flag, { type, many, short }]) => [
      flag,
      {
        type: type === 'boolean' ? ('boolean' as const) : ('string' as const),
        multiple: many === true,
        ...(short === undefined ? {} : { short }),
      },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const words: string[] = [];
  const flags: Record<string, unknown> = {};
  for (const [flag, { type, many, fallback }] of Object.entries(table)) {
    flags[flag] = many === true ? [] : (fallback ?? (type === 'boolean' ? false : undefined));
  }
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = Object.hasOwn(table, token.name) ? table[token.name] : undefined;
    if (flag === undefined) {
      const known = meant(token.name, Object.keys(table));
      return { ok: false, message: `${said} has no flag "${token.rawName}"${known}` };
    }
    // `-o=json`, as kubectl takes it too.
    const isShort = !token.rawName.startsWith('--');
    const value = valueOf(flag, isShort ? token.value?.replace(/^=/, '') : token.value);
    if (value instanceof Error) return { ok: false, message: `--${token.name}: ${value.message}` };
    const before = flags[token.name];
    flags[token.name] = Array.isArray(before) ? [...before, value] : value;
  }
  return { ok: true, flags, words };
}

function valueOf(flag: Flag, text: string | undefined): string | number | boolean | Error {
  if (flag.type === 'boolean') {
    return text === undefined ? true : new Error(`takes no value, but got "${text}"`);
  }
  if (text === undefined || text === '')
    return new Error(`needs a value: ${flag.value ?? 'VALUE'}`);
  if (flag.type === 'string') return text;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  return new Error(`must be a whole number >= 0, but is "${text}"`);
}

/** A hint at the nearest known word, or all of them where none is near. */
export const meant = (word: string, known: readonly string[]): string =>
  didYouMean(word, known) || `; known: ${known.join(', ')}`;
