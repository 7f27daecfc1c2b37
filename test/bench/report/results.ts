// The results that the page is made of: one file of JSON lines per part, a line per run, checked
// in. Each line says on which machine and with which versions it came about.
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../statistics.ts';
import type { Machine, Versions } from './machine.ts';
import { type PartName, partNames } from './parts.ts';

export interface StoredRun {
  readonly part: PartName;
  readonly run: string;
  /** Day, UTC. */
  readonly date: string;
  readonly machine: Machine;
  readonly versions: Versions;
  readonly nodes: number;
  readonly result: Result;
}

export type Stored = Readonly<Record<PartName, readonly StoredRun[]>>;

export const resultsFolder = fileURLToPath(new URL('../results', import.meta.url));

const fileOf = (folder: string, part: PartName): string => join(folder, `${part}.jsonl`);

/** Parts without results are empty lists. */
export function readResults(folder: string): Stored {
  const rows = partNames.map((part) => [part, readPart(folder, part)] as const);
  return Object.fromEntries(rows) as Stored;
}

export function readPart(folder: string, part: PartName): readonly StoredRun[] {
  const file = fileOf(folder, part);
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as StoredRun);
}

/** Written when the run is over, so that whatever comes later cannot lose it. */
export function store(folder: string, run: StoredRun): void {
  mkdirSync(folder, { recursive: true });
  appendFileSync(fileOf(folder, run.part), `${JSON.stringify(run)}\n`);
}

export const forget = (folder: string, part: PartName): void =>
  rmSync(fileOf(folder, part), { force: true });
