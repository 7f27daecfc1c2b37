// The attempts at connections that come to nothing: which server is tried when, what is logged of
// it, and what is left when the link is closed. What a live connection does is shown with real
// servers, in test/conformance/bus/.
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { Link } from '#bus/nats/link.ts';
import { natsOptions } from '#bus/nats/options.ts';
import { eventually } from '#test/support/eventually.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';

/** Addresses that are refused before anything is connected to. */
function open(servers: readonly string[], draw = 0.5) {
  const clock = new VirtualClock();
  const logged: string[] = [];
  const events: string[] = [];
  let draws = 0;
  const link = new Link(
    natsOptions({ servers, reconnectWaitMs: 1_000, reconnectJitterMs: 400 }),
    {
      clock,
      random: {
        next: () => {
          draws++;
          return draw;
        },
      },
      log: (level, message, fields) => logged.push(`${level} ${message} ${JSON.stringify(fields)}`),
    },
    {
      up: () => events.push('up'),
      down: () => events.push('down'),
      room: () => events.push('room'),
    },
  );
  // An attempt draws its first server, and the pause after it its length.
  return { clock, link, logged, events, attempts: () => Math.ceil(draws / 2) };
}

const named = (logged: readonly string[]): readonly (string | undefined)[] =>
  logged.map((line) => /http:\/\/(\w+)/.exec(line)?.[1]);

it.each([
  [0, ['a', 'b', 'c']],
  [0.5, ['b', 'c', 'a']],
  [0.99, ['c', 'a', 'b']],
])('A link that draws %d tries the servers in the order %j', async (draw, expected) => {
  const { clock, link, logged } = open(['http://a', 'http://b', 'http://c'], draw);
  await clock.drain();
  expect(named(logged)).toEqual(expected);
  await link.close(0);
});

it('A link says what is wrong with a server, as a warning', async () => {
  const { clock, link, logged } = open(['http://a']);
  await clock.drain();
  const problem = 'servers: must be host:port or nats://host:port, is "http://a"';
  expect(logged).toEqual([`warn trouble with NATS ${JSON.stringify({ problem })}`]);
  expect(link.problem).toBe(problem);
  await link.close(0);
});

it('A link tries again after the wait and its share of the jitter, for ever', async () => {
  const { clock, link, attempts } = open(['http://a']);
  await clock.drain();
  for (let n = 1; n < 4; n++) {
    expect(attempts()).toBe(n);
    await clock.advance(1_199);
    expect(attempts()).toBe(n);
    await clock.advance(1);
    expect(attempts()).toBe(n + 1);
  }
  await link.close(0);
});

it('A link logs each problem once, and 20 different ones at most', async () => {
  const servers = Array.from({ length: 25 }, (_, n) => `http://server${n}`);
  const { clock, link, logged } = open(servers, 0);
  await clock.advance(10_000);
  expect(named(logged)).toEqual(servers.slice(0, 20).map((url) => url.slice('http://'.length)));
  expect(link.problem).toContain('server24');
  await link.close(0);
});

it('A link that was never up takes nothing and has lost nothing', async () => {
  const { clock, link, events } = open(['http://a']);
  await clock.drain();
  expect(link.publish('coppice.fact.x', new Uint8Array(1))).toBe(false);
  expect([link.connection, link.hasRoom, link.roundTripMs]).toEqual([null, false, null]);
  await link.close(0);
  expect([link.losses, events]).toEqual([0, []]);
});

it('A link that is closed while it waits leaves no timer behind and tries no more', async () => {
  const { clock, link, attempts } = open(['http://a']);
  await clock.drain();
  expect(clock.pending).toBe(1);
  await link.close(1_000);
  await clock.drain();
  expect(clock.pending).toBe(0);
  await clock.advance(60_000);
  expect(attempts()).toBe(1);
});

it('A link that is closed at once tries none of the servers that are left', async () => {
  const { clock, link, logged } = open(['http://a', 'http://b'], 0);
  await link.close(0);
  await clock.advance(60_000);
  expect(named(logged)).toEqual(['a']);
});

it('A link that is closed while a server lets it in leaves no connection behind', async () => {
  const sockets: Socket[] = [];
  const waiting = Promise.withResolvers<Socket>();
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined));
    socket.write('INFO {"server_id":"x","version":"2.14.0","max_payload":1024}\r\n');
    // The probe says nothing; the library waits for the answer to its first ping.
    socket.on('data', (said) => said.includes('PING') && waiting.resolve(socket));
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { link, events } = open([`127.0.0.1:${(server.address() as AddressInfo).port}`]);
  const socket = await waiting.promise;
  await link.close(1_000);
  // From now on pings are answered: who is still there in the end has not given up by itself.
  socket.on('data', (said) => said.includes('PING') && socket.write('PONG\r\n'));
  socket.write('PONG\r\n');
  await eventually(
    'closed',
    () => sockets.map(({ closed }) => closed),
    (closed) => closed.every(Boolean),
  );
  expect([sockets.length, events]).toEqual([2, []]);
});
