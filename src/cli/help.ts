// The help text, from the table of commands.
import { type Command, commands, type Flag } from './commands.ts';

const usage = (name: string, flag: Flag): string =>
  `${flag.short === undefined ? '' : `-${flag.short}, `}--${name}${flag.type === 'boolean' ? '' : ` ${flag.value ?? 'VALUE'}`}`;

const standard = (flag: Flag): string =>
  flag.fallback === undefined || flag.fallback === '' ? '' : ` (default ${String(flag.fallback)})`;

/** A line for each flag. */
export const describeFlags = (flags: Command['flags']): string[] =>
  Object.entries(flags).map(
    ([flag, row]) => `      ${usage(flag, row).padEnd(26)} ${row.about}${standard(row)}`,
  );

const describe = ([name, command]: readonly [string, Command]): string[] => [
  `  coppice ${name}`,
  `      ${command.about}`,
  ...describeFlags(command.flags),
  '',
];

export const help = (): string =>
  [
    'Coppice: a control plane for AI workloads on Kubernetes.',
    '',
    'Usage:',
    ...Object.entries<Command>(commands).flatMap(describe),
    'Exit codes: 0 done, 1 command line, 2 configuration or manifest, 4 start failed, 5 not ready in time, 6 stopped by an error, 7 the cluster lacks what the configuration asks for, 8 the API server was restored from a backup.',
  ].join('\n');
