// The rounds of one load of `npm run bench -- activator-proxy`: each contender after the other, in
// an order that moves on with each round, so that a machine that grows slower favours nobody.
import { fileURLToPath } from 'node:url';
import type { ContenderName } from './contenders/names.ts';
import { type Contender, Field, type FieldOptions } from './field.ts';
import type { OpenFigures } from './open-loop.ts';
import { otherCore, output, spent } from './processes.ts';
import type { ProxyCommand } from './settings.ts';
import { readWrk, wrkArguments } from './wrk.ts';

/** Of one contender in one round, by key; a unit ends each key that has one. */
export type Round = Readonly<Record<string, number>>;

export type Rounds = ReadonlyMap<ContenderName, readonly Round[]>;

type Say = (line: string) => void;
type Load = (contender: Contender, seconds: number) => Promise<Round>;

/** Backends that answer at once: what a request costs. */
const closedBackends = 10;
/** So many that a container concurrency of 1 is enough for twice the default rate. */
const openBackends = 200;

export function fieldOf(
  load: string,
  command: ProxyCommand,
): Pick<FieldOptions, 'backends' | 'workMs'> {
  return load === 'closed'
    ? { backends: closedBackends, workMs: 0 }
    : { backends: openBackends, workMs: command.workMs };
}

export async function measureLoad(
  load: string,
  command: ProxyCommand,
  options: FieldOptions,
  say: Say,
): Promise<Rounds> {
  const field = await Field.start(options);
  const figures = new Map<ContenderName, Round[]>();
  const put: Load = (contender, seconds) =>
    load === 'closed' ? closed(contender, command, seconds) : open(contender, command, seconds);
  try {
    for (const contender of field.contenders) {
      if (command.warmUpSeconds > 0) await put(contender, command.warmUpSeconds);
    }
    for (let round = 0; round < command.rounds; round++) {
      say(`${load}: round ${round + 1} of ${command.rounds}`);
      for (const contender of turned(field.contenders, round)) {
        await field.seen();
        const measured = await paidFor(contender, () => put(contender, command.seconds));
        const { most } = await field.seen();
        const all = { ...measured, most_at_a_backend: most };
        figures.set(contender.name, [...(figures.get(contender.name) ?? []), all]);
      }
    }
  } finally {
    await field.stop();
  }
  return figures;
}

const turned = <T>(all: readonly T[], by: number): readonly T[] =>
  all.map((_, index) => all[(index + by) % all.length] as T);

/** With what the process of the contender spent on it. */
async function paidFor({ pid }: Contender, act: () => Promise<Round>): Promise<Round> {
  if (pid === undefined) return act();
  const before = await spent(pid);
  const round = await act();
  const after = await spent(pid);
  const requests = round['requests'] ?? Number.NaN;
  const cpuMs = after.cpuMs - before.cpuMs;
  return { ...round, cpu_us_per_request: (cpuMs * 1000) / requests, rss_mb: after.rssMb };
}

async function closed(
  { ports: [port = 0] }: Contender,
  { connections }: ProxyCommand,
  seconds: number,
): Promise<Round> {
  const args = wrkArguments(port, connections, seconds);
  return { ...readWrk(await output(otherCore, { program: 'wrk', args })) };
}

const generator = fileURLToPath(new URL('./open-loop.ts', import.meta.url));

async function open({ ports }: Contender, { rate }: ProxyCommand, seconds: number): Promise<Round> {
  const args = [generator, String(rate), String(seconds), ports.join()];
  const said = await output(otherCore, { program: process.execPath, args });
  const { sent, ...figures } = JSON.parse(said) as OpenFigures;
  return { ...figures, requests: sent };
}
