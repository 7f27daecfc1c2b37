// What the operating system knows of processes and ports: is the process of that pid still the one
// that we mean, and who listens on a port. Called by process.ts and stale.ts.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';

/**
 * Tells a process from a later one with the same pid: the time it was started, in whatever form the
 * system has it. Undefined: there is no such process, or it is dead and only not yet reaped.
 */
export function identityOf(pid: number): string | undefined {
  if (process.platform === 'linux') return linuxIdentity(pid);
  if (!isAlive(pid)) return undefined;
  if (process.platform === 'win32') return 'alive';
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

function linuxIdentity(pid: number): string | undefined {
  const stat = readText(`/proc/${pid}/stat`);
  // The name in the second field may hold spaces and parentheses; fields count from behind it.
  const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = rest[18];
  return state === '' || state === 'Z' || state === 'X' ? undefined : startTime;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** True where nobody listens there now. */
export function isPortFree(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(true)));
  });
}

/** `process 123 (nats-server -c x)`, or `another process` where that cannot be found out. */
export function portOwner(port: number): string {
  const unknown = 'another process';
  if (process.platform !== 'linux') return unknown;
  const inodes = listeningInodes(port);
  if (inodes.size === 0) return unknown;
  const pid = entries('/proc').find(
    (name) => /^\d+$/.test(name) && holdsSocket(`/proc/${name}/fd`, inodes),
  );
  if (pid === undefined) return unknown;
  const command = readText(`/proc/${pid}/cmdline`).split('\0').join(' ').trim();
  return `process ${pid} (${command.slice(0, 120)})`;
}

const listenState = '0A';

function listeningInodes(port: number): ReadonlySet<string> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((path) => readText(path).split('\n'));
  const inodes = lines.map((line) => {
    const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
    return local.endsWith(suffix) && state === listenState ? inode : undefined;
  });
  return new Set(inodes.filter((inode) => inode !== undefined));
}

function holdsSocket(folder: string, inodes: ReadonlySet<string>): boolean {
  return entries(folder).some((name) => {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`${folder}/${name}`))?.[1];
      return inode !== undefined && inodes.has(inode);
    } catch {
      return false; // closed meanwhile
    }
  });
}

/** Empty where it may not be read: /proc changes under our eyes and hides what is others'. */
function entries(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
