// The command line as it can be called: commands, flags, exit codes.
import { type Command, commands, exitCodes, type Flag } from '#src/cli/commands.ts';
import { page } from './page.ts';

export function renderCli(): string {
  const entries: readonly (readonly [string, Command])[] = Object.entries(commands);
  return page(
    ...entries.flatMap(([name, { flags }]) => [
      `coppice ${name}`,
      ...Object.entries(flags).map(([flag, about]) => `  ${flagLine(flag, about)}`),
    ]),
    '',
    ...Object.entries(exitCodes).map(([name, code]) => `exit ${code} ${name}`),
  );
}

export function flagLine(name: string, { type, fallback, many }: Flag): string {
  const words = [`--${name}`, type];
  if (fallback !== undefined) words.push(`default ${fallback}`);
  if (many === true) words.push('repeatable');
  return words.join(' ');
}
