// What a cluster's folder says about it: `cluster.json`, written before anything else and at each
// step, so that a cluster whose starter was killed can be recognised and taken away.
import { accessSync, constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdirSync, renameSync, statfsSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessName } from './commands.ts';
import { isAlive, processesIn, type Running, self } from './processes.ts';

export interface ClusterState {
  readonly phase: 'starting' | 'up';
  /** Who called `up`. */
  readonly starter: Running;
  readonly port: number;
  readonly etcdPort: number;
  readonly nodes: number;
  readonly kubeconfig: string;
  readonly controllerKubeconfig: string;
  /** Of etcd; outside the folder where memory is to be had. */
  readonly dataFolder: string;
  readonly commands: Readonly<Record<ProcessName, readonly string[]>>;
  readonly processes: readonly Running[];
}

const stateFile = (folder: string): string => join(folder, 'cluster.json');

export function readState(folder: string): ClusterState | undefined {
  if (!existsSync(stateFile(folder))) return undefined;
  return JSON.parse(readFileSync(stateFile(folder), 'utf8')) as ClusterState;
}

export function writeState(folder: string, state: ClusterState): void {
  const half = `${stateFile(folder)}.${process.pid}`;
  writeFileSync(half, JSON.stringify(state, null, 2));
  renameSync(half, stateFile(folder));
}

/** Makes the folder this cluster's own. Throws where somebody else's files or cluster are. */
export function claim(folder: string, nodes: number): ClusterState {
  mkdirSync(folder, { recursive: true });
  const [foreign] = readdirSync(folder);
  if (foreign !== undefined) {
    throw new Error(`${folder} is not empty (${foreign}): name another folder with --dir`);
  }
  const state: ClusterState = {
    phase: 'starting',
    starter: self(),
    port: 0,
    etcdPort: 0,
    nodes,
    kubeconfig: '',
    controllerKubeconfig: '',
    dataFolder: dataFolderIn(fastFolder(), folder),
    commands: {
      etcd: [],
      'kube-apiserver': [],
      'kube-controller-manager': [],
      'kube-scheduler': [],
      kwok: [],
    },
    processes: [],
  };
  // Exclusive: of two that start in the same folder at the same time one gets it.
  writeFileSync(stateFile(folder), JSON.stringify(state), { flag: 'wx' });
  return state;
}

export type Condition =
  | { readonly is: 'absent' }
  /** Its starter is at work. */
  | { readonly is: 'starting'; readonly state: ClusterState }
  | { readonly is: 'running'; readonly state: ClusterState }
  /** Something ended that should not have: `gone` says what. */
  | { readonly is: 'stale'; readonly state: ClusterState; readonly gone: readonly string[] };

export function conditionOf(folder: string): Condition {
  const state = readState(folder);
  if (state === undefined) return { is: 'absent' };
  if (state.phase === 'starting') {
    if (isAlive(state.starter)) return { is: 'starting', state };
    return { is: 'stale', state, gone: ['its starter, before it was up'] };
  }
  const gone = state.processes.filter((row) => !isAlive(row)).map(({ name }) => name);
  return gone.length === 0 ? { is: 'running', state } : { is: 'stale', state, gone };
}

/** All that runs for the cluster in this folder, also what its state does not name because the
 *  starter was killed between a start and the note of it. */
export function survivors(folder: string): readonly Running[] {
  const recorded = (readState(folder)?.processes ?? []).filter(isAlive);
  const known = new Set(recorded.map(({ pid }) => pid));
  return [...recorded, ...processesIn(folder).filter(({ pid }) => !known.has(pid))];
}

const memoryFolder = '/dev/shm';

/** Of etcd, whose log alone takes 64 MB from the start: all that containers give by default. */
const dataBytes = 1 << 30;

/** Where the data of the cluster in this folder may be, whatever else was lost. */
export const dataFoldersOf = (folder: string): readonly string[] =>
  [memoryFolder, tmpdir()].map((place) => dataFolderIn(place, folder));

/** Named after the folder, so that it is found again. */
function dataFolderIn(place: string, folder: string): string {
  const mark = createHash('sha256').update(folder).digest('hex').slice(0, 12);
  return join(place, `coppice-etcd-${mark}`);
}

/** Memory-backed where the machine has such a place with room enough. */
function fastFolder(): string {
  try {
    accessSync(memoryFolder, constants.W_OK);
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= dataBytes ? memoryFolder : tmpdir();
  } catch {
    return tmpdir();
  }
}
