// A real nats-server as a child of this process: started, waited for, stopped, and gone when we are
// gone. Called by `coppice dev` and by the tests that need a real server.
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { at, list, textOf } from '#machines/kubernetes/json.ts';
import type { JsonObject } from '#machines/kubernetes/objects.ts';
import { NatsServerError } from './errors.ts';
import { isPortFree, portOwner } from './processes.ts';
import { claim, release, takeOver } from './stale.ts';

export interface NatsServerOptions {
  /** Path of the executable (binary.ts finds one). */
  readonly binary: string;
  /** Configuration, pid file and streams; made when missing. One running server per directory. */
  readonly dataDir: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Of the HTTP monitoring, always on 127.0.0.1. Default 0: any free one. */
  readonly monitorPort?: number;
  /** Further settings of the server's configuration file; they win over ours. */
  readonly settings?: JsonObject;
  /** Between the request to end and SIGKILL. Default 5 s. */
  readonly killAfterMs?: number;
  /** Gets every line that the server logs. Default: they are dropped. */
  readonly log?: (line: string) => void;
}

export interface NatsServer {
  /** `nats://127.0.0.1:4222` */
  readonly url: string;
  /** `http://127.0.0.1:8222` */
  readonly monitorUrl: string;
  readonly port: number;
  readonly pid: number;
  /** Clean end, or SIGKILL after `killAfterMs`. May be called more than once. */
  readonly stop: () => Promise<void>;
  /** Resolves when the server has ended, for whatever reason. */
  readonly exited: Promise<NatsServerExit>;
}

export interface NatsServerExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const readyTimeoutMs = 10_000;
const defaultKillAfterMs = 5_000;
const pollMs = 20;
/** Of the log, for the message when the start fails. */
const rememberedLines = 20;

/** Throws NatsServerError `in-use`, `port-busy`, `not-runnable` or `not-ready`. */
export async function startNatsServer(options: NatsServerOptions): Promise<NatsServer> {
  const { dataDir, host = '127.0.0.1', port = 0, monitorPort = 0 } = options;
  const { settings = {}, killAfterMs = defaultKillAfterMs } = options;
  mkdirSync(dataDir, { recursive: true });
  await takeOver(dataDir, killAfterMs);
  await refuseBusyPort(host, port);
  await refuseBusyPort('127.0.0.1', monitorPort);
  for (const file of portsFiles(dataDir)) rmSync(join(dataDir, file), { force: true });
  const configPath = join(dataDir, 'nats-server.conf');
  writeFileSync(configPath, configText({ dataDir, host, port, monitorPort, settings }));
  return launch(options, configPath);
}

async function launch(options: NatsServerOptions, configPath: string): Promise<NatsServer> {
  // Its own process group: Ctrl-C at our terminal reaches us alone, and we stop it in order.
  const child = spawn(options.binary, ['-c', configPath], {
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: process.platform !== 'win32',
  });
  const lines = follow(child, options.log);
  const exited = exitOf(child);
  const { pid } = child;
  if (pid === undefined) {
    const { code } = await exited;
    throw new NatsServerError('not-runnable', `cannot run ${options.binary}: ${code ?? 'unknown'}`);
  }
  claim(options.dataDir, pid);
  const callOff = guardAgainstOrphan(pid);
  void exited.then(() => {
    callOff();
    release(options.dataDir, pid);
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    const timer = setTimeout(
      () => child.kill('SIGKILL'),
      options.killAfterMs ?? defaultKillAfterMs,
    );
    await exited;
    clearTimeout(timer);
  };
  try {
    const { url, monitorUrl } = await untilReady(options.dataDir, pid, exited, lines);
    return { url, monitorUrl, port: Number(new URL(url).port), pid, stop, exited };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Config = Required<
  Pick<NatsServerOptions, 'dataDir' | 'host' | 'port' | 'monitorPort' | 'settings'>
>;

const mebibyte = 1024 * 1024;

/** JSON, which the server's parser reads as it is. */
function configText({ dataDir, host, port, monitorPort, settings }: Config): string {
  const config = {
    server_name: 'coppice-nats',
    host,
    port: port === 0 ? -1 : port,
    // Monitoring has no authentication, so it never leaves this machine.
    http: `127.0.0.1:${monitorPort === 0 ? -1 : monitorPort}`,
    ports_file_dir: dataDir,
    jetstream: {
      store_dir: join(dataDir, 'jetstream'),
      max_memory_store: 256 * mebibyte,
      max_file_store: 1024 * mebibyte,
    },
    // A subscriber that does not read is cut off soon, and never slows the publishers down.
    max_pending: 16 * mebibyte,
    write_deadline: '2s',
    no_fast_producer_stall: true,
    ...settings,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

type Child = ChildProcessByStdio<null, null, Readable>;

/** Passes the log on and remembers its end. */
function follow(child: Child, log: ((line: string) => void) | undefined): readonly string[] {
  const last: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    last.push(line);
    if (last.length > rememberedLines) last.shift();
    log?.(line);
  });
  return last;
}

function exitOf(child: Child): Promise<NatsServerExit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
    child.once('error', () => resolve({ code: null, signal: null }));
  });
}

async function refuseBusyPort(host: string, port: number): Promise<void> {
  if (port === 0 || (await isPortFree(host, port))) return;
  throw new NatsServerError('port-busy', `port ${port} on ${host} is used by ${portOwner(port)}`);
}

interface Urls {
  readonly url: string;
  readonly monitorUrl: string;
}

async function untilReady(
  dataDir: string,
  pid: number,
  exited: Promise<NatsServerExit>,
  lines: readonly string[],
): Promise<Urls> {
  let exit: NatsServerExit | undefined;
  void exited.then((value) => {
    exit = value;
  });
  const until = performance.now() + readyTimeoutMs;
  while (performance.now() < until) {
    if (exit !== undefined) {
      const how = exit.signal ?? `code ${exit.code ?? 'unknown'}`;
      throw new NatsServerError('not-ready', `nats-server ended (${how}):\n${lines.join('\n')}`);
    }
    const urls = readPorts(dataDir, pid);
    if (urls !== undefined && (await isHealthy(urls.monitorUrl))) return urls;
    await sleep(pollMs);
  }
  const said = lines.join('\n');
  throw new NatsServerError('not-ready', `nats-server not ready in ${readyTimeoutMs} ms:\n${said}`);
}

const portsFiles = (dataDir: string): readonly string[] =>
  readdirSync(dataDir).filter((name) => name.endsWith('.ports'));

/** The server writes the file, named after itself and its pid, when it listens. */
function readPorts(dataDir: string, pid: number): Urls | undefined {
  const file = portsFiles(dataDir).find((name) => name.endsWith(`_${pid}.ports`));
  if (file === undefined) return undefined;
  try {
    const ports: unknown = JSON.parse(readFileSync(join(dataDir, file), 'utf8'));
    const [url, monitorUrl] = ['nats', 'monitoring'].map((name) =>
      textOf(list(at(ports, name))[0]),
    );
    return url === undefined || monitorUrl === undefined ? undefined : { url, monitorUrl };
  } catch {
    return undefined; // half written
  }
}

async function isHealthy(monitorUrl: string): Promise<boolean> {
  try {
    const reply = await fetch(`${monitorUrl}/healthz`, { signal: AbortSignal.timeout(1_000) });
    await reply.body?.cancel();
    return reply.ok;
  } catch {
    return false;
  }
}

/** Politely first; a child that is stuck is killed after five seconds. */
const script = `
read -r word && exit 0
kill -TERM "$1"
for i in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$1" || exit 0; sleep 0.5; done
kill -KILL "$1"`;

/**
 * Sees to it that a child does not outlive us, even when we are killed without a chance to act. A
 * small shell waits on a pipe that only we hold: its end means that we are gone. Without a shell
 * (Windows) the next start on the same data directory stops the orphan (stale.ts). The returned
 * function calls the watchdog off, to be used once the child has ended.
 */
function guardAgainstOrphan(pid: number): () => void {
  if (process.platform === 'win32') return () => undefined;
  const shell = spawn('/bin/sh', ['-c', script, 'coppice-watchdog', String(pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true, // not hit by the Ctrl-C that ends us
  });
  // No shell, or a shell that is gone when it is called off: the orphan check at start remains.
  shell.on('error', () => undefined);
  shell.stdin.on('error', () => undefined);
  shell.unref();
  return () => {
    shell.stdin.end('done\n');
  };
}
