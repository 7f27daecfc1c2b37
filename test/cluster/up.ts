// Starts and stops a real control plane on loopback: etcd, kube-apiserver, controller manager,
// scheduler and KWOK with N nodes. Several may run side by side, each with its port and folder.
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { KubeTransport } from '#src/kube/transport.ts';
import { missing } from './build.ts';
import { transportOf } from './client.ts';
import { commandLines, type Limit, type ProcessName, processNames } from './commands.ts';
import { writeCredentials } from './credentials.ts';
import { addNodes, hasDefaultServiceAccount, nodesReady } from './nodes.ts';
import { isAlive, type Running, start, stop, tail, until } from './processes.ts';
import { binaries, binaryPath } from './recipe.ts';

export interface ClusterOptions {
  readonly folder: string;
  /** Port of the API server; 0: any. The others take free ones. */
  readonly port: number;
  readonly nodes: number;
  /** Client limits of scheduler and controller manager; absent: their defaults. */
  readonly schedulerLimit?: Limit | undefined;
  readonly managerLimit?: Limit | undefined;
  readonly audit?: boolean;
}

export interface ClusterState {
  readonly port: number;
  readonly etcdPort: number;
  readonly nodes: number;
  readonly kubeconfig: string;
  readonly controllerKubeconfig: string;
  readonly dataFolder: string;
  readonly commands: Readonly<Record<ProcessName, readonly string[]>>;
  readonly processes: readonly Running[];
}

const stateFile = (folder: string): string => join(folder, 'cluster.json');

export function readState(folder: string): ClusterState | undefined {
  if (!existsSync(stateFile(folder))) return undefined;
  return JSON.parse(readFileSync(stateFile(folder), 'utf8')) as ClusterState;
}

export function binary(name: string): string {
  const row = binaries.find((candidate) => candidate.name === name);
  if (row === undefined) throw new Error(`no recipe for ${name}`);
  return binaryPath(row);
}

/** Up and serving, with its nodes Ready. Throws with the log of whatever did not come up. */
export async function up(options: ClusterOptions): Promise<ClusterState> {
  const absent = missing(
    binaries.filter(({ name }) => processNames.some((process_) => process_ === name)),
  );
  if (absent.length > 0) {
    throw new Error(
      `not built yet: ${absent.map(({ name }) => name).join(', ')}; run "npm run cluster -- build"`,
    );
  }
  const folder = resolve(options.folder);
  await down(folder);
  mkdirSync(folder, { recursive: true });
  const state = await prepare(folder, options);
  const launch = launcher(folder, state);
  launch('etcd');
  launch('kube-apiserver');
  const client = await transportOf(state.kubeconfig);
  await waitFor(folder, 'kube-apiserver', () => answers(client));
  for (const name of ['kube-controller-manager', 'kube-scheduler', 'kwok'] as const) launch(name);
  await waitFor(folder, 'kube-controller-manager', () => hasDefaultServiceAccount(client));
  await addNodes(client, options.nodes);
  await waitFor(folder, 'kwok', () => nodesReady(client, options.nodes));
  return readState(folder) ?? state;
}

async function prepare(folder: string, options: ClusterOptions): Promise<ClusterState> {
  const ports = await freePorts();
  const port = options.port === 0 ? ports.api : options.port;
  if (!(await isFree(port))) throw new Error(`port ${port} is taken; choose another with --port`);
  const credentials = await writeCredentials(folder, port);
  const dataFolder = join(fastFolder(), `coppice-etcd-${port}`);
  rmSync(dataFolder, { recursive: true, force: true });
  const { schedulerLimit, managerLimit, audit = false } = options;
  const commands = commandLines({
    folder,
    port,
    ports,
    dataFolder,
    credentials,
    schedulerLimit,
    managerLimit,
    audit,
  });
  return {
    port,
    etcdPort: ports.etcd,
    nodes: options.nodes,
    kubeconfig: credentials.kubeconfigs.admin,
    controllerKubeconfig: credentials.kubeconfigs.controller,
    dataFolder,
    commands,
    processes: [],
  };
}

/** Starts one process after the other and notes each at once, so that `down` finds it whatever
 *  happens next. */
function launcher(folder: string, state: ClusterState): (name: ProcessName) => void {
  const processes: Running[] = [];
  return (name) => {
    processes.push(start(folder, name, binary(name), state.commands[name]));
    writeFileSync(stateFile(folder), JSON.stringify({ ...state, processes }, null, 2));
  };
}

/** Stops one process of a running cluster with SIGKILL and starts it again with the same words. */
export async function restart(folder: string, name: ProcessName, downMs = 0): Promise<void> {
  const state = readState(resolve(folder));
  const old = state?.processes.find((process_) => process_.name === name);
  if (state === undefined || old === undefined) throw new Error(`no ${name} runs in ${folder}`);
  process.kill(old.pid, 'SIGKILL');
  await until(() => Promise.resolve(!isAlive(old)), 5000);
  if (downMs > 0) await new Promise((done) => setTimeout(done, downMs));
  const fresh = start(resolve(folder), name, binary(name), state.commands[name]);
  const processes = [...state.processes.filter((process_) => process_ !== old), fresh];
  writeFileSync(stateFile(resolve(folder)), JSON.stringify({ ...state, processes }, null, 2));
}

/** Stops whatever a folder's state names, a stale one included, and removes its files. */
export async function down(folder: string): Promise<void> {
  const state = readState(resolve(folder));
  if (state === undefined) return;
  for (const process_ of state.processes.toReversed()) await stop(process_);
  rmSync(state.dataFolder, { recursive: true, force: true });
  rmSync(resolve(folder), { recursive: true, force: true });
}

async function waitFor(
  folder: string,
  name: ProcessName,
  claim: () => Promise<boolean>,
): Promise<void> {
  const alive = (): boolean =>
    readState(folder)?.processes.some((row) => row.name === name && isAlive(row)) ?? false;
  const done = await until(async () => !alive() || (await claim().catch(() => false)), 60_000);
  if (!done || !alive()) throw new Error(`${name} did not come up:\n${tail(folder, name)}`);
}

const answers = async (client: KubeTransport): Promise<boolean> =>
  (await client.request({ method: 'GET', path: '/readyz' })).status === 200;

/** Memory-backed where the machine has such a place. */
function fastFolder(): string {
  try {
    accessSync('/dev/shm', constants.W_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}

async function listen(
  port: number,
): Promise<{ port: number; close: () => Promise<void> } | undefined> {
  const server = createServer();
  return new Promise((resolve) => {
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const close = (): Promise<void> => new Promise((done) => server.close(() => done()));
      resolve({ port: (server.address() as AddressInfo).port, close });
    });
  });
}

async function isFree(port: number): Promise<boolean> {
  const taken = await listen(port);
  await taken?.close();
  return taken !== undefined;
}

type Ports = Readonly<Record<'api' | 'etcd' | 'peer' | 'manager' | 'scheduler', number>>;

/** Ports that were free a moment ago, all different. */
async function freePorts(): Promise<Ports> {
  const held = await Promise.all(Array.from({ length: 5 }, () => listen(0)));
  const [api = 0, etcd = 0, peer = 0, manager = 0, scheduler = 0] = held.map(
    (one) => one?.port ?? 0,
  );
  await Promise.all(held.map((one) => one?.close()));
  return { api, etcd, peer, manager, scheduler };
}
