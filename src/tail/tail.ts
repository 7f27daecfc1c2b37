// `coppice tail` prints facts from NATS as they happen, until a signal; `coppice fmt` prints those
// that come through a pipe from `nats sub --raw`. Colours only on a terminal.
import { createInterface } from 'node:readline';
import { natsOptions } from '#bus/nats/options.ts';
import { exitCodes } from '#src/cli/commands.ts';
import { stopSignal } from '#src/cli/signals.ts';
import { defaultConfiguration } from '#src/config/decode.ts';
import { loadConfiguration } from '#src/config/load.ts';
import { natsSettings } from '#src/config/nats.ts';
import { type Output, outputTo } from '#src/plugin/show/output.ts';
import { systemClock, systemRandom } from '#src/time/clock.ts';
import { filterOf, type FilterFlags } from './filter.ts';
import { follow } from './follow.ts';
import { factLine, formatLine } from './line.ts';

export interface TailFlags extends FilterFlags {
  readonly server: readonly string[];
  readonly config: string | undefined;
}

/** Runs until a signal; resolves with the exit code. Rejects with ConfigurationError. */
export async function runTail({ server, config, ...wanted }: TailFlags): Promise<number> {
  const stopped = stopSignal();
  const output = outputHere();
  const filter = filterOf(wanted);
  if (typeof filter === 'string') {
    output.note(`coppice: ${filter}`);
    return exitCodes.usage;
  }
  const { bus } =
    config === undefined ? defaultConfiguration : (await loadConfiguration(config)).configuration;
  const settings = { ...natsSettings(bus), history: null, name: 'coppice tail' };
  const end = follow({
    nats: natsOptions(server.length === 0 ? settings : { ...settings, servers: server }),
    filter,
    clock: systemClock,
    random: systemRandom,
    print: (fact) => output.line(factLine(fact, output.paint)),
    note: (text) => output.note(text),
  });
  await stopped;
  await end();
  return exitCodes.ok;
}

/** Resolves at the end of the input. */
export async function runFmt(): Promise<number> {
  const output = outputHere();
  for await (const line of createInterface({ input: process.stdin })) {
    const formatted = formatLine(line, output.paint);
    if (formatted !== undefined) output.line(formatted);
  }
  return exitCodes.ok;
}

function outputHere(): Output {
  const { stdout: out, stderr: error, env: environment } = process;
  return outputTo({ out, error, color: 'auto', environment });
}
