// argv of `kubectl coppice` to a typed command, or a sentence that says what is wrong with it.
// Called by run.ts; the flags are read as those of `coppice` are.
import { type FlagValues, meant, readArguments } from '#src/cli/parse.ts';
import { type PluginCommand, type PluginCommandName, pluginCommands } from './commands.ts';

/** One command with its flags, defaults filled in, and its words. */
export type PluginInvocation = {
  [C in PluginCommandName]: {
    readonly command: C;
    readonly flags: FlagValues<(typeof pluginCommands)[C]>;
    readonly words: readonly string[];
  };
}[PluginCommandName];

export type FlagsOf<C extends PluginCommandName> = FlagValues<(typeof pluginCommands)[C]>;

type Parsed =
  | { readonly ok: true; readonly invocation: PluginInvocation }
  | { readonly ok: false; readonly message: string };

export const isPluginCommand = (name: string): name is PluginCommandName =>
  Object.hasOwn(pluginCommands, name);

const spellings: ReadonlyMap<string, PluginCommandName> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
]);

const outputs: Partial<Record<PluginCommandName, readonly string[]>> = {
  get: ['table', 'wide', 'json', 'yaml', 'name'],
  why: ['text', 'json', 'yaml'],
  trace: ['text', 'json', 'yaml'],
  tail: ['text', 'json'],
  check: ['text', 'json', 'yaml'],
};

/** Flags with few values. */
export const choices = (command: PluginCommandName, flag: string): readonly string[] =>
  flag === 'color'
    ? ['auto', 'always', 'never']
    : flag === 'output'
      ? (outputs[command] ?? [])
      : [];

/** `argv` without node and the script. */
export function parsePlugin(argv: readonly string[]): Parsed {
  const [first = 'help', ...rest] = argv;
  const name = spellings.get(first) ?? first;
  if (!isPluginCommand(name)) {
    const known = meant(name, Object.keys(pluginCommands));
    return { ok: false, message: `unknown command "${name}"${known}; try "kubectl coppice help"` };
  }
  const help: PluginInvocation = { command: 'help', flags: {}, words: [name] };
  if (rest.includes('--help') || rest.includes('-h')) return { ok: true, invocation: help };
  const command: PluginCommand = pluginCommands[name];
  const said = `kubectl coppice ${name}`;
  const read = readArguments(said, command.flags, rest);
  if (!read.ok) return read;
  const { flags, words } = read;
  const problem = wordProblem(said, command, words) ?? choiceProblem(name, flags);
  if (problem !== undefined) return { ok: false, message: problem };
  // Every flag of the command was given its default and then values of its own type only.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const invocation = { command: name, flags, words } as unknown as PluginInvocation;
  return { ok: true, invocation };
}

function wordProblem(
  said: string,
  { words: wanted, least = 0, most = 0 }: PluginCommand,
  words: readonly string[],
): string | undefined {
  if (words.length < least) return `${said} needs ${wanted}`;
  const extra = words[most];
  if (extra === undefined) return undefined;
  const takes = wanted === undefined ? 'takes no argument' : `takes ${wanted}, and no argument`;
  return `${said} ${takes} "${extra}"`;
}

function choiceProblem(
  name: PluginCommandName,
  flags: Readonly<Record<string, unknown>>,
): string | undefined {
  for (const [flag, value] of Object.entries(flags)) {
    const right = choices(name, flag);
    if (right.length === 0 || right.some((one) => one === value)) continue;
    return `--${flag}: must be one of ${right.join(', ')}, but is "${String(value)}"`;
  }
  return undefined;
}
