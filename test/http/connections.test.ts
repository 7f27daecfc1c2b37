// Which connection goes when there are too many, and what is too slow: with real sockets and small
// limits.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { costlyAtOnce, plainLimits, type ServerLimits } from '#src/http/limits.ts';
import { markCostly, type Routes, serve, text } from '#src/http/server.ts';
import { systemClock } from '#src/time/clock.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => systemClock.at(systemClock.now() + ms, resolve));

const patient: ServerLimits = {
  ...plainLimits,
  helloMs: 0,
  graceMs: 0,
  headerMs: 60_000,
  requestMs: 60_000,
};

async function start(limits: ServerLimits, routes: Routes = {}) {
  const { port, close } = await serve({
    host: '0.0.0.0',
    port: 0,
    name: 'health',
    setting: 'server.healthPort',
    routes: { '/livez': () => text(200, 'ok'), ...routes },
    onError: () => {},
    limits,
  });
  ends.push(close);
  return {
    /** A connection that says nothing, seen by the server. */
    open: async (localAddress = '127.0.0.1') => {
      const socket = connect({ host: '127.0.0.1', port, localAddress });
      socket.on('error', () => {});
      ends.push(() => socket.destroy());
      await once(socket, 'connect');
      await pause(10);
      return socket;
    },
  };
}

const isOpen = (socket: Socket): boolean => !socket.destroyed && socket.readyState === 'open';

/** The status line of what is answered. */
async function ask(socket: Socket, path = '/livez'): Promise<string> {
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString('latin1').split('\r\n', 1)[0] ?? '';
}

const ok = 'HTTP/1.1 200 OK';

describe('A server that has as many connections as it may', () => {
  it('ends the silent one that waited longest, of the peer that has most', async () => {
    const { open } = await start({ ...patient, connections: 3, connectionsPerPeer: 3 });
    const other = await open('127.0.0.9');
    const [older, newer] = [await open(), await open()];
    const gone = once(older, 'close');
    older.resume();
    const late = await open('127.0.0.5');
    await gone;
    expect([other, newer, late].map(isOpen)).toEqual([true, true, true]);
    expect(await ask(late)).toBe(ok);
  });

  it('does not end those who open many at once, while others wait for longer', async () => {
    const limits = { ...patient, graceMs: 60_000, connections: 4, connectionsPerPeer: 4 };
    const { open } = await start(limits);
    const [oldest, other] = [await open('127.0.0.9'), await open('127.0.0.8')];
    oldest.resume();
    const gone = once(oldest, 'close');
    const burst = [await open(), await open(), await open()];
    await gone;
    expect([other, ...burst].map(isOpen)).toEqual([true, true, true, true]);
  });

  it('ends one that has sent nothing before one that waited longer and has begun', async () => {
    const limits = { ...patient, graceMs: 60_000, connections: 2, connectionsPerPeer: 2 };
    const { open } = await start(limits);
    const [begun, silent] = [await open('127.0.0.9'), await open()];
    begun.write('GET /livez HT');
    await pause(10);
    silent.resume();
    const gone = once(silent, 'close');
    const late = await open('127.0.0.5');
    await gone;
    expect([begun, late].map(isOpen)).toEqual([true, true]);
  });

  it.each([
    ['that is late with its header', 'GET /livez HTTP/1.1\r\nhost: x\r\n'],
    ['that is late with its body', 'POST /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n'],
  ])('ends one %s before one that comes and cannot have begun', async (_, bytes) => {
    const limits = { ...patient, helloMs: 60_000, connections: 3, connectionsPerPeer: 3 };
    const { open } = await start(limits);
    const slow = [await open('127.0.0.9'), await open('127.0.0.8')];
    for (const socket of slow) socket.resume().write(bytes);
    await pause(10);
    const gone = slow.map((socket) => once(socket, 'close'));
    const fresh = await open();
    const others = [await open('127.0.0.5'), await open('127.0.0.6')];
    await Promise.all(gone);
    expect(await Promise.all([fresh, ...others].map((socket) => ask(socket)))).toEqual([
      ok,
      ok,
      ok,
    ]);
  });

  it('keeps who has asked something and ends who has not', async () => {
    const { open } = await start({ ...patient, connections: 3, connectionsPerPeer: 3 });
    const [first, second] = [await open(), await open()];
    expect([await ask(first), await ask(second)]).toEqual([ok, ok]);
    const silent = await open('127.0.0.9');
    silent.resume();
    const gone = once(silent, 'close');
    const late = await open('127.0.0.5');
    await gone;
    expect([await ask(first), await ask(second), await ask(late)]).toEqual([ok, ok, ok]);
  });

  it('never ends one that is being answered', async () => {
    const slow = Promise.withResolvers<void>();
    const wait = async () => {
      await slow.promise;
      return text(200, 'done');
    };
    const { open } = await start(
      { ...patient, connections: 1, connectionsPerPeer: 1 },
      { '/slow': wait },
    );
    const asking = await open();
    const answer = ask(asking, '/slow');
    await pause(20);
    const late = await open('127.0.0.9');
    late.resume();
    if (isOpen(late)) await once(late, 'close');
    slow.resolve();
    expect(await answer).toBe(ok);
  });
});

describe('A peer', () => {
  it('that has its share ends its own connections and none of others', async () => {
    const { open } = await start({ ...patient, connections: 8, connectionsPerPeer: 2 });
    const [mine, theirs] = [await open('127.0.0.9'), await open()];
    theirs.resume();
    const gone = once(theirs, 'close');
    const [second, third] = [await open(), await open()];
    await gone;
    expect([mine, second, third].map(isOpen)).toEqual([true, true, true]);
  });

  it.each([
    ['says nothing', ''],
    ['does not end its header', 'GET /livez HTTP/1.1\r\nhost: x\r\n'],
    ['does not end its body', 'POST /livez HTTP/1.1\r\nhost: x\r\ncontent-length: 9\r\n\r\n'],
  ])('that %s is cut off in time', async (_, bytes) => {
    const { open } = await start({ ...patient, headerMs: 100, requestMs: 100, checkMs: 50 });
    const socket = await open();
    socket.resume();
    socket.write(bytes);
    await once(socket, 'close');
    expect(socket.destroyed).toBe(true);
  });

  const reply = text(200, 'x'.repeat(16 * 1024 * 1024)); // more than the kernel takes
  const deaf = async ({ open }: Awaited<ReturnType<typeof start>>) => {
    const sockets = await Promise.all(Array.from({ length: costlyAtOnce }, () => open()));
    for (const socket of sockets) socket.write('GET /large HTTP/1.1\r\nhost: x\r\n\r\n');
    return sockets;
  };

  it('that asks for what is costly waits for those before it, and probes do not', async () => {
    const server = await start(patient, { '/large': markCostly(() => reply) });
    const sockets = await deaf(server);
    await vi.waitFor(async () => {
      expect(await ask(await server.open(), '/large')).toBe('HTTP/1.1 429 Too Many Requests');
    }, 5_000);
    expect(await ask(await server.open())).toBe(ok);
    for (const socket of sockets) socket.destroy();
    await vi.waitFor(async () => {
      expect(await ask(await server.open(), '/large')).toBe(ok);
    }, 5_000);
  });

  it('that does not take its answer is cut off', async () => {
    const limits = { ...patient, sendMs: 300 };
    const server = await start(limits, { '/large': markCostly(() => reply) });
    await deaf(server);
    await pause(100);
    await vi.waitFor(async () => {
      expect(await ask(await server.open(), '/large')).toBe(ok);
    }, 10_000);
  });
});
