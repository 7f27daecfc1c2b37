// The help of `kubectl coppice`, from its table: of all commands in short, or of one with its
// flags. Printed by run.ts.
import { describeFlags } from '#src/cli/help.ts';
import { type PluginCommand, pluginCommands, pluginExitCodes } from './commands.ts';
import { isPluginCommand } from './parse.ts';

export function pluginHelp(name = ''): string {
  return isPluginCommand(name) && name !== 'help' ? ofOne(name, pluginCommands[name]) : ofAll();
}

const usage = (name: string, { words }: PluginCommand): string =>
  `kubectl coppice ${name}${words === undefined ? '' : ` ${words}`}`;

const ofOne = (name: string, command: PluginCommand): string =>
  [usage(name, command), `      ${command.about}`, ...describeFlags(command.flags)].join('\n');

const ofAll = (): string =>
  [
    'See what Coppice does with your workloads, and why.',
    '',
    'Usage:',
    ...Object.entries<PluginCommand>(pluginCommands).flatMap(([name, command]) => [
      `  ${usage(name, command)}`,
      `      ${command.about}`,
    ]),
    '',
    'KIND is a kind, its plural or its short name, such as pcs; KIND/NAME is one word for both.',
    'The flags of a command: kubectl coppice COMMAND --help.',
    '',
    'Exit codes:',
    ...Object.values(pluginExitCodes).map(
      ({ code, meaning }) => `  ${String(code).padStart(2)}  ${meaning}`,
    ),
  ].join('\n');
