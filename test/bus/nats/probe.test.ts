// Addresses of servers, and the look at a server before connecting to it.
import { createServer } from 'node:net';
import type { Server, Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { parseServer, probe } from '#bus/nats/probe.ts';
import { systemClock } from '#src/time/clock.ts';

describe('an address of a server', () => {
  it.each([
    ['nats', 'nats', 4222],
    ['nats:4333', 'nats', 4333],
    ['nats://nats.example:80', 'nats.example', 80],
    ['tls://10.0.0.1', '10.0.0.1', 4222],
    ['[::1]:4333', '::1', 4333],
  ])('%s is read', (text, host, port) => {
    expect(parseServer(text)).toEqual({ ok: true, value: { host, port } });
  });

  it.each(['', 'http://nats:80', 'nats://', 'nats:99999', 'a b', 'nats://me:secret@nats'])(
    '%j is refused',
    (text) => {
      const refused = parseServer(text);
      expect(refused).toMatchObject({ ok: false, field: 'servers' });
      expect(refused.ok ? '' : refused.problem).not.toContain('secret');
    },
  );
});

describe('a probe', () => {
  let server: Server | undefined;
  const sockets = new Set<Socket>();
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    server?.close();
  });

  const look = async (greeting: string | null, tls = false, connectTimeoutMs = 5_000) => {
    const port = await new Promise<number>((resolve) => {
      server = createServer((socket) => {
        sockets.add(socket);
        socket.on('error', () => undefined);
        if (greeting === '') socket.end();
        else if (greeting !== null) socket.write(greeting);
      });
      server.listen(0, '127.0.0.1', () => {
        const address = server?.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    const options = { connectTimeoutMs, tls: tls ? {} : null };
    return probe({ host: '127.0.0.1', port }, options, systemClock);
  };

  it.each([
    [`INFO {"pad":"${'x'.repeat(65_521)}"}`, 'no greeting within 50 ms'],
    [`INFO {"pad":"${'x'.repeat(65_522)}"}`, null],
  ])('waits for the end of a greeting up to 64 KiB', async (greeting, problem) => {
    const found = await look(greeting, false, 50);
    expect(problem === null ? found : found?.slice(-problem.length)).toBe(problem);
  });

  it('quotes sixty characters of what is said instead of a greeting', async () => {
    const said = await look(`${'y'.repeat(80)}\r\n`);
    expect(said).toMatch(new RegExp(`^127\\.0\\.0\\.1:\\d+: is no NATS server: says "y{60}"$`));
  });

  it('finds nothing wrong with a NATS server', async () => {
    expect(await look('INFO {"server_id":"x","version":"2.14.0"} \r\n')).toBeNull();
    expect(await look('INFO {"tls_available":true} \r\n', true)).toBeNull();
  });

  it.each([
    ['HTTP/1.1 400 Bad Request\r\n', false, 'is no NATS server: says "HTTP/1.1 400 Bad Request"'],
    ['INFO {broken}\r\n', false, 'its greeting is not JSON'],
    [`INFO ${'x'.repeat(70_000)}`, false, 'is no NATS server'],
    ['INFO {"tls_required":true}\r\n', false, 'demands TLS: set tls'],
    ['INFO {}\r\n', true, 'offers no TLS'],
    ['', false, 'closed the connection without a greeting'],
  ])('says what speaks against %j', async (greeting, tls, problem) => {
    expect(await look(greeting, tls)).toContain(problem);
  });

  it('ends when nothing is said, and when nobody listens', async () => {
    expect(await look(null, false, 20)).toContain('no greeting within 20 ms');
    const options = { connectTimeoutMs: 5_000, tls: null };
    const refused = await probe({ host: '127.0.0.1', port: 1 }, options, systemClock);
    expect(refused).toBe('127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1');
    // Of several addresses that were tried only the code is told.
    const named = await probe({ host: 'localhost', port: 1 }, options, systemClock);
    expect(named).toMatch(/^localhost:1: .*ECONNREFUSED/);
  });

  it('leaves no socket behind', async () => {
    await look(null, false, 20);
    const open = [...sockets].filter((socket) => !socket.destroyed);
    await Promise.all(
      open.map((socket) => new Promise((resolve) => socket.resume().once('close', resolve))),
    );
  });
});
