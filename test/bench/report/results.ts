// The results that the page is made of: one file of JSON lines per part, a line per run, checked
// in and kept by commit. Each line says on which machine and with which versions it came about.
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Result } from '../statistics.ts';
import type { Machine, Versions } from './machine.ts';
import { type PartName, partNames } from './parts.ts';

export interface StoredRun {
  readonly part: PartName;
  readonly run: string;
  /** What was measured, as `Product` has it. */
  readonly commit: string;
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

const byPart = (runs: (part: PartName) => readonly StoredRun[]): Stored =>
  Object.fromEntries(partNames.map((part) => [part, runs(part)])) as Stored;

/** Of all commits, the newest last. Parts without results are empty lists. */
export const readResults = (folder: string): Stored => byPart((part) => readPart(folder, part));

/** Of each part the runs of the commit that was measured last. */
export const latest = (stored: Stored): Stored =>
  byPart((part) => stored[part].filter(({ commit }) => commit === stored[part].at(-1)?.commit));

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

/** The runs of a commit, which is measured anew. */
export function forget(folder: string, part: PartName, commit: string): void {
  const kept = readPart(folder, part).filter((run) => run.commit !== commit);
  if (!existsSync(fileOf(folder, part))) return;
  writeFileSync(fileOf(folder, part), kept.map((run) => `${JSON.stringify(run)}\n`).join(''));
}
