// Who uses a data directory. A start writes down the server and its owner; the next start reads it:
// a server that outlived its owner is stopped, one whose owner is alive is left alone.
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { at, object, word } from '#machines/kubernetes/json.ts';
import type { Json } from '#machines/kubernetes/objects.ts';
import { NatsServerError } from './errors.ts';
import { identityOf } from './processes.ts';

interface Process {
  readonly pid: number;
  /** Of `identityOf`. */
  readonly identity: string;
}

interface Claim {
  readonly server: Process;
  readonly owner: Process;
}

const fileName = 'nats-server.pid.json';
const pollMs = 20;

/** Writes down that the server of this pid is ours. */
export function claim(dataDir: string, serverPid: number): void {
  const server = { pid: serverPid, identity: identityOf(serverPid) ?? '' };
  const owner = { pid: process.pid, identity: identityOf(process.pid) ?? '' };
  const path = join(dataDir, fileName);
  // Renamed into place: a kill in between leaves the old file or the new one, not half of one.
  writeFileSync(`${path}.new`, JSON.stringify({ server, owner }));
  renameSync(`${path}.new`, path);
}

/** Forgets the server of this pid; a claim that another start made since then stays. */
export function release(dataDir: string, serverPid: number): void {
  if (readClaim(dataDir)?.server.pid === serverPid)
    rmSync(join(dataDir, fileName), { force: true });
}

/** Makes the directory ours. Throws NatsServerError `in-use` where a living process uses it. */
export async function takeOver(dataDir: string, killAfterMs: number): Promise<void> {
  const former = readClaim(dataDir);
  if (former !== undefined && isRunning(former.server)) {
    if (isRunning(former.owner)) {
      throw new NatsServerError(
        'in-use',
        `${dataDir} is in use: nats-server ${former.server.pid} of process ${former.owner.pid} ` +
          'runs on it. Stop that process or choose another directory.',
      );
    }
    await stopProcess(former.server, killAfterMs);
  }
  rmSync(join(dataDir, fileName), { force: true });
}

async function stopProcess(server: Process, killAfterMs: number): Promise<void> {
  send(server.pid, 'SIGTERM');
  const killAt = performance.now() + killAfterMs;
  let isKilled = false;
  while (isRunning(server)) {
    if (!isKilled && performance.now() >= killAt) {
      send(server.pid, 'SIGKILL');
      isKilled = true;
    }
    await sleep(pollMs);
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself.
  }
}

const isRunning = (process: Process): boolean => identityOf(process.pid) === process.identity;

/** Undefined also for a file that is not ours or half written: then nothing is known of it. */
function readClaim(dataDir: string): Claim | undefined {
  try {
    const { server, owner } = object(JSON.parse(readFileSync(join(dataDir, fileName), 'utf8')));
    return isProcess(server) && isProcess(owner) ? { server, owner } : undefined;
  } catch {
    return undefined;
  }
}

const isProcess = (value: unknown): value is Json & Process =>
  Number.isSafeInteger(at(value, 'pid')) && word(at(value, 'identity')) !== undefined;
