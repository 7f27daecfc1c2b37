// Starts and stops a real control plane on loopback: etcd, kube-apiserver, controller manager,
// scheduler and KWOK with N nodes. Several may run side by side, each with its port and folder.
import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { isFree } from '#test/support/ports.ts';
import { missing, whyNoGo } from './build.ts';
import { transportOf } from './client.ts';
import { commandLines, type Limit, portsOf, type ProcessName, processNames } from './commands.ts';
import { writeCredentials } from './credentials.ts';
import { addNodes, hasDefaultServiceAccount, nodesReady } from './nodes.ts';
import { freePorts } from './ports.ts';
import { isAlive, start, stop, tail, until } from './processes.ts';
import { binaries, binaryPath, hasGangScheduling } from './recipe.ts';
import {
  claim,
  type ClusterState,
  conditionOf,
  dataFoldersOf,
  readState,
  survivors,
  writeState,
} from './state.ts';

export interface ClusterOptions {
  readonly folder: string;
  /** Port of the API server; 0: any. The others take free ones. */
  readonly port: number;
  readonly nodes: number;
  /** Client limits of scheduler and controller manager; absent: their defaults. */
  readonly schedulerLimit?: Limit | undefined;
  readonly managerLimit?: Limit | undefined;
  readonly audit?: boolean;
  /** Who makes a child that keeps its owner from going must be allowed to. */
  readonly isStrict?: boolean;
  /** Kubernetes' own controllers go by their own names, and may do what their roles grant; without,
   *  all of them are masters. */
  readonly hasRoles?: boolean;
  /** Kubernetes' own gangs, which are off by default; nothing where the release has none. */
  readonly hasGangs?: boolean;
  /** etcd holds JSON throughout, for who reads it there. */
  readonly hasPlainStorage?: boolean;
}

export function binary(name: string): string {
  const row = binaries().find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no recipe for ${name}`);
  return binaryPath(row);
}

/** A sentence that says what is missing for `up` and what to do, or undefined. For suites that
 *  are skipped without it. Who tried to build it and could not says why in
 *  `$COPPICE_CLUSTER_UNBUILT`. */
export async function whyNotUp(): Promise<string | undefined> {
  const absent = missing(
    binaries().filter(({ name }) => processNames.some((process_) => process_ === name)),
  );
  if (absent.length === 0) return undefined;
  const names = absent.map(({ name }) => name).join(', ');
  const tried = process.env['COPPICE_CLUSTER_UNBUILT'];
  return `not built: ${names}. ${tried ?? (await whyNoGo()) ?? 'Build them: npm run cluster -- build'}`;
}

const upLimitMs = 180_000;

/** Up and serving, with its nodes Ready. A stale cluster in the folder is taken away first; one
 *  that runs is an error. Throws with the log of whatever did not come up, and leaves nothing. */
export async function up(options: ClusterOptions): Promise<ClusterState> {
  const problem = await whyNotUp();
  if (problem !== undefined) throw new Error(problem);
  const folder = resolve(options.folder);
  refuseLive(folder);
  for (let attempt = 1; ; attempt++) {
    await down(folder);
    const claimed = claim(folder, options.nodes);
    try {
      writeState(folder, await prepare(folder, claimed, options));
      return await bringUp(folder, options.nodes);
    } catch (error) {
      await down(folder);
      if (attempt === mostAttempts || !isOfTakenPort(error)) throw error;
    }
  }
}

/** A port that was free is another's when its process asks for it, some seconds later: all of them
 *  are drawn anew. */
const mostAttempts = 3;
const isOfTakenPort = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('address already in use');

function refuseLive(folder: string): void {
  const condition = conditionOf(folder);
  if (condition.is === 'running') {
    throw new Error(
      `a cluster runs in ${folder} on port ${condition.state.port}: ` +
        'take it down first, or name another folder with --dir',
    );
  }
  if (condition.is === 'starting') throw new Error(whoStarts(folder, condition.state));
}

const whoStarts = (folder: string, { starter }: ClusterState): string =>
  `a cluster is being started in ${folder} by process ${starter.pid}: wait for it or end it`;

async function prepare(
  folder: string,
  claimed: ClusterState,
  options: ClusterOptions,
): Promise<ClusterState> {
  const ports = await freePorts();
  const port = options.port === 0 ? ports.api : options.port;
  if (!(await isFree(port))) throw new Error(`port ${port} is taken; choose another with --port`);
  const { schedulerLimit, managerLimit } = options;
  const { audit = false, isStrict = false, hasRoles = false, hasGangs = false } = options;
  const { hasPlainStorage = false } = options;
  const { dataFolder } = claimed;
  const credentials = await writeCredentials(folder, port, hasRoles);
  const commands = commandLines({
    folder,
    port,
    ports,
    dataFolder,
    credentials,
    schedulerLimit,
    managerLimit,
    audit,
    isStrict,
    hasRoles,
    hasGangs: hasGangs && hasGangScheduling(),
    hasPlainStorage,
  });
  return {
    ...claimed,
    port,
    etcdPort: ports.etcd,
    kubeconfig: credentials.kubeconfigs.admin,
    controllerKubeconfig: credentials.kubeconfigs.controller,
    commands,
  };
}

async function bringUp(folder: string, nodes: number): Promise<ClusterState> {
  launch(folder, 'etcd');
  launch(folder, 'kube-apiserver');
  const client = await transportOf(stateIn(folder).kubeconfig);
  try {
    await waitFor(folder, 'kube-apiserver', () => answers(client));
    for (const name of ['kube-controller-manager', 'kube-scheduler', 'kwok'] as const) {
      launch(folder, name);
    }
    await waitFor(folder, 'kube-controller-manager', () => hasDefaultServiceAccount(client));
    await addNodes(client, nodes);
    await waitFor(folder, 'kwok', () => nodesReady(client, nodes));
    // The scheduler has no part in any of that: it must not have ended meanwhile.
    await waitFor(folder, 'kube-scheduler', () => Promise.resolve(true));
  } finally {
    await client.close();
  }
  const state: ClusterState = { ...stateIn(folder), phase: 'up' };
  writeState(folder, state);
  return state;
}

function stateIn(folder: string): ClusterState {
  const state = readState(folder);
  if (state === undefined) throw new Error(`the cluster in ${folder} was taken down meanwhile`);
  return state;
}

/** Starts one process and notes it at once, so that `down` finds it whatever happens next. */
function launch(folder: string, name: ProcessName): void {
  const state = stateIn(folder);
  const fresh = start(folder, name, binary(name), state.commands[name]);
  const others = state.processes.filter((process_) => process_.name !== name);
  writeState(folder, { ...state, processes: [...others, fresh] });
}

/** Stops one process of a running cluster with SIGKILL and starts it again with the same words. */
export const restart = (folder: string, name: ProcessName, downMs = 0): Promise<void> =>
  whileDown(folder, [name], () => new Promise((done) => setTimeout(done, downMs)));

/** Stops processes of a running cluster with SIGKILL, acts, and starts them again with the same
 *  words, last stopped first. */
export async function whileDown(
  folder: string,
  names: readonly ProcessName[],
  act: () => Promise<void>,
): Promise<void> {
  const place = resolve(folder);
  for (const name of names) {
    const old = stateIn(place).processes.find((process_) => process_.name === name);
    if (old === undefined) throw new Error(`no ${name} runs in ${place}`);
    await stop(old);
  }
  await act();
  for (const name of names.toReversed()) {
    // A process that has ended may have threads that hold its sockets a little longer.
    for (const port of portsOf(stateIn(place).commands[name])) {
      const free = await until(() => isFree(port), upLimitMs);
      if (!free) throw new Error(`${name} is killed, but port ${port} stays taken`);
    }
    launch(place, name);
  }
}

/** Stops all that runs for a folder and removes what it wrote, also of a stale or half-started
 *  cluster. A folder without a cluster is left alone. */
export async function down(folder: string): Promise<void> {
  const place = resolve(folder);
  const condition = conditionOf(place);
  if (condition.is === 'starting' && condition.state.starter.pid !== process.pid) {
    throw new Error(whoStarts(place, condition.state));
  }
  await Promise.all(survivors(place).map((process_) => stop(process_)));
  for (const data of dataFoldersOf(place)) rmSync(data, { recursive: true, force: true });
  if (condition.is !== 'absent' && existsSync(place)) rmSync(place, { recursive: true });
}

async function waitFor(
  folder: string,
  name: ProcessName,
  claim_: () => Promise<boolean>,
): Promise<void> {
  const alive = (): boolean =>
    readState(folder)?.processes.some((row) => row.name === name && isAlive(row)) ?? false;
  const done = await until(async () => !alive() || (await claim_().catch(() => false)), upLimitMs);
  if (!done || !alive()) throw new Error(`${name} did not come up:\n${tail(folder, name)}`);
}

const answers = async (client: KubeTransport): Promise<boolean> =>
  (await client.request({ method: 'GET', path: '/readyz' })).status === 200;
