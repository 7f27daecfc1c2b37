// `npm run bench -- activator-proxy`: the activator as an HTTP proxy, beside other proxies on the
// same core, in turns. A table, ratios and gates on stderr, all figures as one JSON line on stdout.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { aligned } from '../table.ts';
import { type ContenderName, contenderNames } from './contenders/names.ts';
import { judge, type Measured, ProxyFigures, reported } from './gates.ts';
import { fieldOf, measureLoad, type Rounds } from './measure.ts';
import { missingPrograms } from './processes.ts';
import type { ProxyCommand } from './settings.ts';

type Say = (line: string) => void;

/** The exit code: 1 where a gate was missed, or something is not installed. */
export async function activatorProxy(command: ProxyCommand, say: Say): Promise<number> {
  const { only, loads } = command;
  const missing = await missingFor(command);
  for (const what of missing) say(`bench: ${what} is not there (apt-get install ${what})`);
  if (missing.some((what) => what === 'taskset' || what === 'wrk')) return 1;
  if (availableParallelism() < 2) {
    say('bench: one processor is not enough: a contender has one, generator and backends another');
    return 1;
  }
  const contenders = contenderNames.filter(
    (name) => only.includes(name) && !missing.includes(name),
  );
  const profile = command.profile === undefined ? undefined : resolve(command.profile);
  if (profile !== undefined) await mkdir(profile, { recursive: true });
  const folder = await mkdtemp(join(tmpdir(), 'coppice-proxies-'));
  const measured = new Map<string, Rounds>();
  try {
    for (const load of loads) {
      const options = { contenders, bytes: command.bytes, folder, profile };
      const field = { ...options, ...fieldOf(load, command) };
      measured.set(load, await measureLoad(load, command, field, say));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return print(command, contenders, measured, missing, say);
}

/** By the names of their Debian packages, of which taskset alone has another: util-linux. */
function missingFor({ only, loads }: ProxyCommand): Promise<readonly string[]> {
  const proxies = ['nginx', 'haproxy'].filter((name) => only.includes(name));
  return missingPrograms([...(loads.includes('closed') ? ['wrk'] : []), 'taskset', ...proxies]);
}

function print(
  command: ProxyCommand,
  contenders: readonly ContenderName[],
  measured: Measured,
  missing: readonly string[],
  say: Say,
): number {
  for (const [load, rounds] of measured) {
    say(`\n${load}:\n${aligned(rowsOf(new ProxyFigures(rounds), contenders))}`);
  }
  const gates = judge(measured);
  const ratios = reported(measured);
  if (ratios.length > 0) say(aligned([['only reported', 'value', 'aim'], ...ratios]));
  say(
    aligned([
      ['gate', 'value', 'bound', ''],
      ...gates.map(({ what, value, bound, isMet }) =>
        [what, value, bound, isMet ? 'met' : 'missed'].map(String),
      ),
    ]),
  );
  const figures = Object.fromEntries([...measured].map(([load, all]) => [load, medians(all)]));
  process.stdout.write(`${JSON.stringify({ ...command, missing, figures, ratios, gates })}\n`);
  return missing.length === 0 && gates.every(({ isMet }) => isMet) ? 0 : 1;
}

const keys = [
  'per_second',
  'cpu_us_per_request',
  'rss_mb',
  'p50_ms',
  'p90_ms',
  'p99_ms',
  'p999_ms',
  'max_ms',
  'most_at_a_backend',
  'failed',
] as const;

function rowsOf(figures: ProxyFigures, contenders: readonly ContenderName[]): string[][] {
  const shown = keys.filter((key) =>
    contenders.some((name) => figures.of(name, key) !== undefined),
  );
  return [
    ['', ...shown, 'least', 'most'],
    ...contenders.map((name) => {
      const spread = figures.each(name, shown.includes('per_second') ? 'per_second' : 'p99_ms');
      return [
        name,
        ...shown.map((key) =>
          text(key === 'failed' ? figures.sum(name, key) : figures.of(name, key)),
        ),
        text(Math.min(...spread)),
        text(Math.max(...spread)),
      ];
    }),
  ];
}

const text = (value: number | undefined): string =>
  value === undefined
    ? ''
    : value >= 1000
      ? value.toFixed(0)
      : String(Math.round(value * 100) / 100);

function medians(rounds: Rounds): Record<string, Record<string, number>> {
  const figures = new ProxyFigures(rounds);
  return Object.fromEntries(
    [...rounds.keys()].map((name) => [
      name,
      Object.fromEntries(
        keys.flatMap((key) => {
          const value = key === 'failed' ? figures.sum(name, key) : figures.of(name, key);
          return value === undefined ? [] : [[key, value]];
        }),
      ),
    ]),
  );
}
