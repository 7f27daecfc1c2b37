// The command line of `kubectl coppice`: a flat list for the diff, and the tables of its page.
import type { Flag } from '#src/cli/commands.ts';
import { findingCodes } from '#src/check/finding.ts';
import { type PluginCommand, pluginCommands, pluginExitCodes } from '#src/plugin/commands.ts';
import { kindNamed, namesOf, resourceOf, shownKinds } from '#src/plugin/kinds.ts';
import { flagLine } from './cli.ts';
import { page, pageWith, table } from './page.ts';

const entries: readonly (readonly [string, PluginCommand])[] = Object.entries(pluginCommands);

const usage = (name: string, { words }: PluginCommand): string =>
  `${name}${words === undefined ? '' : ` ${words}`}`;

export const renderPlugin = (): string =>
  page(
    ...entries.flatMap(([name, command]) => [
      `kubectl coppice ${usage(name, command)}`,
      ...Object.entries(command.flags).map(
        ([flag, row]: readonly [string, Flag]) => `  ${flagLine(flag, row)}`,
      ),
    ]),
    '',
    ...Object.entries(pluginExitCodes).map(([name, { code }]) => `exit ${code} ${name}`),
    '',
    ...Object.entries(findingCodes).map(([code, { level }]) => `finding ${code} ${level}`),
  );

export const pluginPath = 'docs/kubectl-plugin.md';

export const pluginPage = (): string =>
  pageWith(pluginPath, 'src/plugin/commands.ts and src/check/finding.ts', [
    '## Commands',
    '',
    ...table(
      ['command', 'what it does'],
      entries.map(([name, command]) => [`\`${usage(name, command)}\``, command.about]),
    ),
    '',
    '## Names of kinds',
    '',
    ...table(
      ['resource', 'names'],
      shownKinds().map((kind) => [
        `\`${resourceOf(kind)}\``,
        namesOf(kindNamed(kind))
          .map((name) => `\`${name}\``)
          .join(' '),
      ]),
    ),
    '',
    '## Exit codes',
    '',
    ...table(
      ['code', 'meaning'],
      Object.values(pluginExitCodes).map(({ code, meaning }) => [String(code), meaning]),
    ),
    '',
    '## What `check` finds',
    '',
    ...table(
      ['code', 'level', 'what is broken', 'the hint leads to'],
      Object.entries(findingCodes).map(([code, { level, meaning, leadsTo }]) => [
        `\`${code}\``,
        level,
        meaning,
        leadsTo,
      ]),
    ),
  ]);
