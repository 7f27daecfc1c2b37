// A real nats-server as our child: ready when we say so, stopped in order, never orphaned.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from '@nats-io/transport-node';
import { jetstreamManager } from '@nats-io/jetstream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NatsServerError } from '#src/natsserver/errors.ts';
import { identityOf } from '#src/natsserver/processes.ts';
import type { NatsServer, NatsServerOptions } from '#src/natsserver/process.ts';
import { natsSkip, startTestServer, temporaryFolder } from '#test/support/nats.ts';
import { freePort } from '#test/support/ports.ts';
import { ownerScript } from './owner.ts';

const isOver = (pid: number) =>
  vi.waitUntil(() => identityOf(pid) === undefined, { timeout: 10_000, interval: 10 });

describe.skipIf(natsSkip !== '')(`a nats-server of ours${natsSkip}`, () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let servers: NatsServer[];
  let owners: ChildProcess[];
  beforeEach(() => {
    folder = temporaryFolder();
    servers = [];
    owners = [];
  });
  afterEach(async () => {
    for (const owner of owners) owner.kill('SIGKILL');
    await Promise.all(servers.map((server) => server.stop()));
    folder.remove();
  });

  const start = async (options: Partial<NatsServerOptions> = {}): Promise<NatsServer> => {
    const server = await startTestServer({ dataDir: folder.path, ...options });
    servers.push(server);
    return server;
  };
  const failure = async (work: Promise<unknown>): Promise<NatsServerError> => {
    const error: unknown = await work.catch((reason: unknown) => reason);
    if (error instanceof NatsServerError) return error;
    throw new Error(`expected a NatsServerError, got ${String(error)}`);
  };
  /** Another process that owns a server in our folder. */
  const startOwner = async (): Promise<{ owner: ChildProcess; serverPid: number }> => {
    const owner = spawn(process.execPath, [ownerScript, folder.path], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    owners.push(owner);
    const line = await new Promise<string>((resolve) => {
      owner.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString()));
    });
    return { owner, serverPid: Number(line) };
  };

  it('takes clients and serves JetStream and monitoring when the start returns', async () => {
    const lines: string[] = [];
    const server = await start({ log: (line) => lines.push(line) });
    expect(server.url).toBe(`nats://127.0.0.1:${server.port}`);
    const client = await connect({ servers: server.url });
    await (await jetstreamManager(client)).streams.add({ name: 'S', subjects: ['s'] });
    await client.close();
    expect((await fetch(`${server.monitorUrl}/healthz`)).status).toBe(200);
    expect(lines.join('\n')).toContain('Server is ready');
  });

  it('ends clean when it is stopped, twice, and leaves no claim on its folder', async () => {
    const server = await start();
    await server.stop();
    await server.stop();
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(identityOf(server.pid)).toBeUndefined();
    expect(readdirSync(folder.path)).not.toContain('nats-server.pid.json');
  });

  it('keeps its file streams over a restart on the same port', async () => {
    const first = await start({ port: await freePort() });
    const before = await connect({ servers: first.url });
    await (await jetstreamManager(before)).streams.add({ name: 'S', subjects: ['s'] });
    await before.close();
    await first.stop();
    const second = await start({ port: first.port });
    expect(second.port).toBe(first.port);
    const after = await connect({ servers: second.url });
    expect((await (await jetstreamManager(after)).streams.info('S')).config.name).toBe('S');
    await after.close();
  });

  it('tells by `exited` that it was killed, and starts again in its folder', async () => {
    const server = await start();
    process.kill(server.pid, 'SIGKILL');
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await start();
  });

  it('is killed when it does not end by itself', async () => {
    const server = await start({ killAfterMs: 50 });
    process.kill(server.pid, 'SIGSTOP');
    await server.stop();
    expect(await server.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  it('ends soon after its owner was killed', async () => {
    const { owner, serverPid } = await startOwner();
    expect(identityOf(serverPid)).toBeDefined();
    owner.kill('SIGKILL');
    await isOver(serverPid);
  });

  it('ends with its owner on Ctrl-C', async () => {
    const { owner, serverPid } = await startOwner();
    const code = new Promise((resolve) => {
      owner.once('exit', resolve);
    });
    owner.kill('SIGINT');
    expect(await code).toBe(0);
    expect(identityOf(serverPid)).toBeUndefined();
  });

  it('is stopped by the next start when it outlived its owner', async () => {
    const orphan = await start();
    // As it would be had another process started it and been killed together with its watchdog.
    const path = join(folder.path, 'nats-server.pid.json');
    const claim: { server: object; owner: object } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...claim, owner: { pid: 4_194_303, identity: '1' } }));
    const next = await start();
    expect(identityOf(orphan.pid)).toBeUndefined();
    expect(next.pid).not.toBe(orphan.pid);
    // The end of the orphan did not take the claim of its successor along.
    await orphan.exited;
    expect(existsSync(path)).toBe(true);
  });

  it.each(['', 'garbage', '{"server":1}', '{"server":{"pid":1,"identity":"0"},"owner":null}'])(
    'starts where the pid file holds %j, and harms nobody',
    async (content) => {
      writeFileSync(join(folder.path, 'nats-server.pid.json'), content);
      await start();
    },
  );

  it('leaves a process alone that has the pid of a server long gone', async () => {
    const bystander = spawn('sleep', ['60']);
    owners.push(bystander);
    const claim = {
      server: { pid: bystander.pid, identity: '1' },
      owner: { pid: 4_194_303, identity: '1' },
    };
    writeFileSync(join(folder.path, 'nats-server.pid.json'), JSON.stringify(claim));
    await start();
    expect(identityOf(bystander.pid ?? 0)).toBeDefined();
  });

  it('is refused in a folder that another one uses', async () => {
    const server = await start();
    const error = await failure(startTestServer({ dataDir: folder.path }));
    expect(error.reason).toBe('in-use');
    expect(error.message).toContain(`nats-server ${server.pid} of process ${process.pid}`);
  });

  it('is refused on a busy port, with the name of who has it', async () => {
    const server = await start();
    const dataDir = join(folder.path, 'second');
    const { port } = server;
    const monitorPort = Number(new URL(server.monitorUrl).port);
    for (const busy of [{ port }, { monitorPort }]) {
      const error = await failure(startTestServer({ dataDir, ...busy }));
      expect(error.reason).toBe('port-busy');
      expect(error.message).toContain(`port ${Object.values(busy)[0]} on 127.0.0.1 is used by`);
      if (process.platform === 'linux') expect(error.message).toContain(`process ${server.pid} (`);
    }
  });

  it('that cannot start says what it logged', async () => {
    const settings = { max_pending: -5, write_deadline: 'soon' };
    const error = await failure(startTestServer({ dataDir: folder.path, settings }));
    expect(error.reason).toBe('not-ready');
    expect(error.message).toContain('write_deadline');
    const absent = startTestServer({ dataDir: folder.path, binary: '/no/such/nats-server' });
    expect((await failure(absent)).reason).toBe('not-runnable');
  });
});
