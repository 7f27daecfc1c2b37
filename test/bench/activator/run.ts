// `npm run bench -- activator-micro`: what the activator's table of pods and its admission cost,
// each cell in a process of its own, in turns, beside the designs that they replace. A table and
// the gates on stderr, all figures as one JSON line on stdout.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { bundleAll } from '#src/bundle/build.ts';
import { aligned } from '../table.ts';
import { cells } from './cells/all.ts';
import { Figures, type Measured } from './figures.ts';
import { claims, judge } from './gates.ts';
import type { ActivatorMicroCommand } from './settings.ts';

const program = fileURLToPath(new URL('./cell.ts', import.meta.url));

/** Bundled, as an activator is in its image. Stripping types in the process that is measured would
 *  detach a buffer, and from then on V8 asks before each access to an array whether its buffer is
 *  still there (`--trace-protector-invalidation` shows it). */
export async function withCells<T>(use: (cell: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-bench-cells-'));
  try {
    await bundleAll({ cell: program }, folder, false);
    return await use(join(folder, 'cell.mjs'));
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** The young generation is so large that measuring bytes meets no collection. */
const nodeFlags = ['--expose-gc', '--max-semi-space-size=128'];

type Say = (line: string) => void;

/** The exit code: 1 where a gate was missed. */
export async function activatorMicro(command: ActivatorMicroCommand, say: Say): Promise<number> {
  const { only, runs, ms } = command;
  const chosen = cells.filter(({ part }) => only.includes(part));
  const measured = new Map<string, Measured[]>();
  await withCells(async (cell) => {
    for (let run = 0; run < runs; run++) {
      say(`run ${run + 1} of ${runs}: ${chosen.length} cells`);
      for (const { name } of chosen) {
        measured.set(name, [...(measured.get(name) ?? []), await measureCell(cell, name, ms)]);
      }
    }
  });
  const figures = new Figures(chosen, measured);
  const gates = judge(figures);
  say(aligned([['', 'ns', 'least', 'most', 'x reference', 'bytes'], ...rowsOf(figures)]));
  const compared = claims(figures);
  if (compared.length > 0) {
    say(aligned([['faster than what it replaces', 'in Go', 'here'], ...compared]));
  }
  say(
    aligned([
      ['gate', 'value', 'bound', ''],
      ...gates.map(({ what, value, bound, isMet }) =>
        [what, value, bound, isMet ? 'met' : 'missed'].map(String),
      ),
    ]),
  );
  const all = Object.fromEntries(
    figures.cells.map(({ name }) => [name, Object.fromEntries(figuresOf(figures, name))]),
  );
  process.stdout.write(`${JSON.stringify({ ...command, cells: all, gates })}\n`);
  return gates.every(({ isMet }) => isMet) ? 0 : 1;
}

/** Rejects where the process fails. */
export async function measureCell(cell: string, name: string, ms: number): Promise<Measured> {
  const args = [...nodeFlags, cell, name, String(ms)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Measured;
}

const rowsOf = (figures: Figures): readonly (readonly string[])[] =>
  figures.cells.map(({ part, name }) => {
    const [least, most] = figures.spread(name, 'ns') ?? [];
    const shown = [figures.of(name, 'ns'), least, most].map((ns) => ns?.toFixed(1) ?? '');
    const bytes = figures.of(name, 'bytes')?.toFixed(1) ?? 'collected';
    return [`${part} ${name}`, ...shown, figures.toReference(name)?.toFixed(1) ?? '', bytes];
  });

const figuresOf = (figures: Figures, name: string): readonly (readonly [string, number])[] =>
  ['ns', 'reference_ns', 'bytes', 'bytes_per_waiter', 'longest_block_ms', 'visits_per_release']
    .map((figure) => [figure, figures.of(name, figure)] as const)
    .flatMap(([figure, value]) => (value === undefined ? [] : [[figure, value] as const]));
