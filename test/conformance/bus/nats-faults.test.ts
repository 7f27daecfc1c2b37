// NATS absent, killed, wiped, silent, congested or hostile, with a real server: the bus never throws,
// never blocks, stays bounded, and everything is there again when NATS is.
import { connect as connectSocket } from 'node:net';
import type { Socket } from 'node:net';
import { rmSync } from 'node:fs';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { decodeFact } from '#bus/codec.ts';
import { busLimits } from '#bus/limits.ts';
import { historyStream } from '#bus/nats/history.ts';
import type { NatsBus } from '#bus/nats.ts';
import { subjectsOf } from '#bus/subjects.ts';
import type { NatsServer, NatsServerOptions } from '#src/natsserver/process.ts';
import { envelopeTo, factOf, key } from '#test/support/bus.ts';
import { freePort, natsSkip, startTestServer, temporaryFolder } from '#test/support/nats.ts';
import { testBus } from '#test/support/nats.ts';

const until = (claim: () => boolean, timeout = 10_000): Promise<true> =>
  vi.waitUntil(claim, { timeout, interval: 5 });

const eventually = <T>(work: () => T | Promise<T>): Promise<T> =>
  vi.waitFor(work, { timeout: 10_000, interval: 10 });

const ask = { about: key('a'), question: 'state', payload: {} } as const;

describe.skipIf(natsSkip !== '')(`the bus over NATS with faults${natsSkip}`, () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let servers: NatsServer[];
  let buses: NatsBus[];

  beforeEach(() => {
    folder = temporaryFolder();
    servers = [];
    buses = [];
  });
  afterEach(async () => {
    for (const server of servers) kill(server, 'SIGCONT');
    await Promise.all(buses.map((bus) => bus.close()));
    await Promise.all(servers.map((server) => server.stop()));
    folder.remove();
  });

  const start = async (options: Partial<NatsServerOptions> = {}): Promise<NatsServer> => {
    const server = await startTestServer({ dataDir: folder.path, ...options });
    servers.push(server);
    return server;
  };
  const join = (given: Parameters<typeof testBus>[0], log?: Parameters<typeof testBus>[1]) => {
    const bus = testBus(given, log);
    buses.push(bus);
    return bus;
  };
  const joined = async (given: Parameters<typeof testBus>[0]): Promise<NatsBus> => {
    const bus = join(given);
    await until(() => bus.state().connected);
    return bus;
  };
  const dies = async (server: NatsServer): Promise<void> => {
    kill(server, 'SIGKILL');
    await server.exited;
  };

  it('keeps the latest facts while NATS is absent at start, and sends them when it comes', async () => {
    const port = await freePort();
    const bus = join({ servers: [`127.0.0.1:${port}`] });
    for (let i = 0; i < 1_000; i++) bus.fact(factOf(key(`a-${i % 10}`), { i }));
    expect(bus.tell(envelopeTo(key('a')))).toBe(false);
    expect(await bus.ask(ask, 60_000)).toMatchObject({ ok: false, code: 'UNREACHABLE' });
    expect(bus.state()).toMatchObject({ connected: false, waiting: 10, coalesced: 990 });
    const server = await start({ port });
    await until(() => bus.state().history);
    expect(bus.state()).toMatchObject({ waiting: 0, published: 10, dropped: 990, problem: null });
    expect(server.port).toBe(port);
  });

  it('bounds what waits, and counts every fact that it gave up', () => {
    const bus = join({ servers: ['127.0.0.1:1'] });
    const count = busLimits.outboxMessages + 500;
    for (let i = 0; i < count; i++) bus.fact(factOf(key(`a-${i}`)));
    expect(bus.state()).toMatchObject({
      connected: false,
      waiting: busLimits.outboxMessages,
      dropped: 500,
      published: 0,
    });
  });

  it('closes at once while NATS is absent, and tries no more', async () => {
    const port = await freePort();
    const bus = join({ servers: [`127.0.0.1:${port}`] });
    await bus.close();
    const server = await start({ port });
    const connections = await monitor(server, 'connz?state=any');
    expect(connections['total']).toBe(0);
  });

  it('is all there again after the server was killed and started on the same port', async () => {
    const first = await start();
    const bus = await joined({ servers: [first.url] });
    const heard: string[] = [];
    bus.onTell((envelope) => heard.push(envelope.id));
    bus.onAsk(() => Promise.resolve({ ok: true, data: { alive: true } }));
    expect(await bus.ask(ask, 2_000)).toMatchObject({ ok: true });
    const id = await serviceId(first);
    await dies(first);
    await until(() => !bus.state().connected);
    bus.fact(factOf(key('a'), {}, 'while-away'));
    expect(bus.tell(envelopeTo(key('a')))).toBe(false);

    const second = await start({ port: first.port });
    await until(() => bus.state().history);
    expect(bus.state()).toMatchObject({ losses: 1, waiting: 0 });
    expect(bus.tell(envelopeTo(key('a'), 'm-2'))).toBe(true);
    await until(() => heard.length > 0);
    expect(heard).toEqual(['m-2']);
    expect(await bus.ask(ask, 2_000)).toEqual({ ok: true, data: { alive: true } });
    expect(await serviceId(second)).toBe(id);
  });

  it('makes the stream again after a restart that wiped it', async () => {
    const first = await start();
    const bus = await joined({ servers: [first.url], history: { storage: 'file' } });
    await until(() => bus.state().history);
    bus.fact(factOf(key('a'), {}, 'f-1'));
    await storedFacts(first, 1);
    await dies(first);
    rmSync(`${folder.path}/jetstream`, { recursive: true });
    await until(() => !bus.state().connected);
    const second = await start({ port: first.port });
    await until(() => bus.state().history);
    bus.fact(factOf(key('a'), {}, 'f-2'));
    expect(await storedFacts(second, 1)).toEqual(['f-2']);
  });

  it('makes the stream again when it was deleted, and corrects one that was changed', async () => {
    const server = await start();
    const bus = await joined({ servers: [server.url], history: { checkIntervalMs: 20 } });
    await until(() => bus.state().history);
    const admin = await connect({ servers: server.url });
    const { streams } = await jetstreamManager(admin);
    await streams.delete(historyStream);
    await eventually(() => streams.info(historyStream));
    await streams.update(historyStream, { max_msgs: 5 });
    await eventually(async () => {
      expect((await streams.info(historyStream)).config.max_msgs).toBe(1_000_000);
    });
    await admin.close();
    expect(bus.state().history).toBe(true);
  });

  it('publishes without a stream where JetStream is off', async () => {
    const server = await start({ settings: { jetstream: false } });
    const bus = await joined({ servers: [server.url], history: { checkIntervalMs: 20 } });
    await until(() => bus.state().problem !== null);
    for (let i = 0; i < 100; i++) bus.fact(factOf(key('a')));
    expect(bus.state()).toMatchObject({ connected: true, history: false, published: 100 });
  });

  it('notices a server that is silent, keeps what it may, and returns when the server does', async () => {
    const server = await start();
    const bus = await joined({ servers: [server.url], pingIntervalMs: 200 });
    const since = performance.now();
    kill(server, 'SIGSTOP');
    await until(() => !bus.state().connected);
    expect(performance.now() - since).toBeLessThan(5_000);
    bus.fact(factOf(key('a')));
    expect(bus.state()).toMatchObject({ waiting: 1, roundTripMs: null });
    kill(server, 'SIGCONT');
    await until(() => bus.state().connected && bus.state().waiting === 0);
  });

  it('gives a server that takes nothing no more than the bound, and leaves it all the same', async () => {
    const first = await start();
    const bus = await joined({ servers: [first.url], pingIntervalMs: 200, history: null });
    kill(first, 'SIGSTOP');
    const data = { pad: 'x'.repeat(100_000) };
    for (let i = 0; i < 300; i++) bus.fact(factOf(key(`a-${i}`), data));
    const { published, waiting } = bus.state();
    expect(published * 100_000).toBeLessThan(busLimits.unconfirmedBytes + 200_000);
    expect(waiting * 100_000).toBeLessThanOrEqual(busLimits.outboxBytes);
    expect(bus.tell(envelopeTo(key('a')))).toBe(false);
    await until(() => !bus.state().connected);
    await dies(first);
    await start({ port: first.port });
    await until(() => bus.state().connected && bus.state().waiting === 0);
  });

  it('is not slowed by a subscriber that never reads', async () => {
    const server = await start({ settings: { max_pending: 1_100_000, write_deadline: '200ms' } });
    const bus = await joined({ servers: [server.url], history: null });
    const deaf = await deafSubscriber(server.port);
    const data = { pad: 'x'.repeat(10_000) };
    for (let i = 0; i < 2_000; i++) {
      bus.fact(factOf(key('a'), data, `f-${i}`));
      if (i % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await until(() => bus.state().waiting === 0);
    const state = bus.state();
    expect(state).toMatchObject({ connected: true, losses: 0 });
    expect(state.published + state.coalesced).toBe(2_000);
    await eventually(async () => {
      expect((await monitor(server, 'varz'))['slow_consumers']).toBe(1);
    });
    deaf.destroy();
  });

  it('answers questions that are no questions, and counts them', async () => {
    const server = await start();
    const bus = await joined({ servers: [server.url] });
    bus.onAsk(() => Promise.resolve({ ok: false, code: 'NOT_FOUND', message: 'no\nsuch ä actor' }));
    const stranger = await connect({ servers: server.url });
    const request = async (subject: string, payload = '') => {
      const message = await stranger.request(subject, payload, { timeout: 2_000 });
      const answer: unknown = message.json();
      const code = message.headers?.get('Nats-Service-Error-Code');
      return { answer, code, text: message.headers?.get('Nats-Service-Error') };
    };
    await eventually(() => request('coppice.ask.podclique.default.a.state'));
    expect(await request('coppice.ask.podclique.default.a.state')).toMatchObject({
      answer: { v: 1, ok: false, code: 'NOT_FOUND' },
      code: '404',
      text: 'no such actor',
    });
    for (const [subject, payload] of [
      ['coppice.ask.podclique.default.a.state', '{"a":'],
      ['coppice.ask.podclique.default.a.state', '[]'],
      ['coppice.ask.podclique.default.a.state', `"${'x'.repeat(busLimits.maxMessageBytes)}"`],
      ['coppice.ask.podclique.default.a.dance', '{}'],
      ['coppice.ask.everything', '{}'],
    ] as const) {
      const { answer, code } = await request(subject, payload);
      expect(answer).toMatchObject({ ok: false, code: 'MALFORMED' });
      expect(code).toBe('400');
    }
    expect(bus.state().rejected).toBe(5);
    await stranger.close();
  });

  it('is found by the micro service protocol, with statistics that tell errors apart', async () => {
    const server = await start();
    const bus = await joined({ servers: [server.url] });
    bus.onAsk(({ question }) =>
      Promise.resolve(
        question === 'why'
          ? { ok: true, data: {} }
          : { ok: false, code: 'FORBIDDEN', message: 'not that' },
      ),
    );
    await bus.ask({ ...ask, question: 'why' }, 2_000);
    await bus.ask({ ...ask, question: 'park' }, 2_000);
    const stranger = await connect({ servers: server.url });
    const query = async (subject: string): Promise<unknown> =>
      (await stranger.request(subject, '', { timeout: 2_000 })).json();
    const identity = { name: 'coppice', version: '1.0.0', id: await serviceId(server) };
    for (const subject of ['$SRV.PING', '$SRV.PING.coppice', `$SRV.PING.coppice.${identity.id}`]) {
      expect(await query(subject)).toMatchObject({
        type: 'io.nats.micro.v1.ping_response',
        ...identity,
      });
    }
    expect(await query('$SRV.INFO.coppice')).toMatchObject({
      type: 'io.nats.micro.v1.info_response',
      ...identity,
      endpoints: [{ name: 'ask', subject: 'coppice.ask.>', queue_group: 'coppice' }],
    });
    expect(await query('$SRV.STATS.coppice')).toMatchObject({
      type: 'io.nats.micro.v1.stats_response',
      ...identity,
      endpoints: [{ name: 'ask', num_requests: 2, num_errors: 1, last_error: '403:not that' }],
    });
    await stranger.close();
  });

  it('says why it cannot connect, once, and connects when it is let in', async () => {
    const authorization = { user: 'coppice', password: 'secret' };
    const first = await start({ settings: { authorization } });
    const lines: string[] = [];
    const wrong = join(
      { servers: [first.url], auth: { type: 'user', user: 'coppice', password: 'wrong' } },
      (_, message, fields) => lines.push(`${message} ${JSON.stringify(fields)}`),
    );
    const missing = join({ servers: [first.url], auth: { type: 'creds', file: '/no/such.creds' } });
    await until(() => wrong.state().problem !== null && missing.state().problem !== null);
    expect(wrong.state().problem).toContain('Authorization Violation');
    expect(missing.state().problem).toContain('/no/such.creds');
    const right = await joined({ servers: [first.url], auth: { type: 'user', ...authorization } });
    expect(right.state().connected).toBe(true);
    expect(lines.filter((line) => line.includes('Authorization'))).toHaveLength(1);
    await dies(first);
    await start({ port: first.port, settings: { authorization: { token: 't' } } });
    const token = await joined({ servers: [first.url], auth: { type: 'token', token: 't' } });
    expect(token.state().connected).toBe(true);
  });

  it('is not harmed by something else that listens on the port', async () => {
    const servers = [(await start()).monitorUrl.replace('http', 'nats')];
    const bus = join({ servers, connectTimeoutMs: 100 });
    bus.fact(factOf(key('a')));
    await until(() => bus.state().problem !== null);
    expect(bus.state()).toMatchObject({ connected: false, waiting: 1 });
    expect(bus.state().problem).toContain('no greeting within 100 ms');
  });
});

function kill(server: NatsServer, signal: NodeJS.Signals): void {
  try {
    process.kill(server.pid, signal);
  } catch {
    // It has ended already.
  }
}

async function monitor(server: NatsServer, path: string): Promise<Record<string, unknown>> {
  const reply: unknown = await (await fetch(`${server.monitorUrl}/${path}`)).json();
  return typeof reply === 'object' && reply !== null ? { ...reply } : {};
}

/** The id under which the only process that serves shows up. */
async function serviceId(server: NatsServer): Promise<string> {
  const stranger = await connect({ servers: server.url });
  const reply = await eventually(() => stranger.request('$SRV.PING', '', { timeout: 500 }));
  await stranger.close();
  const identity: { id?: unknown } = reply.json();
  return String(identity.id);
}

/** Ids of the facts in the stream, once there are as many. */
async function storedFacts(server: NatsServer, count: number): Promise<readonly string[]> {
  const stranger = await connect({ servers: server.url });
  const { streams } = await jetstreamManager(stranger);
  const ids = await eventually(async () => {
    const { state } = await streams.info(historyStream);
    expect(state.messages).toBe(count);
    const found: string[] = [];
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const stored = await streams.getMessage(historyStream, { seq });
      const fact = decodeFact(stored?.data ?? new Uint8Array());
      found.push(fact.ok ? fact.value.id : fact.problem);
    }
    return found;
  });
  await stranger.close();
  return ids;
}

/** Subscribes to everything and then reads not a byte. */
function deafSubscriber(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket(port, '127.0.0.1');
    socket.once('error', reject);
    socket.once('data', () => {
      socket.write(`CONNECT {"verbose":false}\r\nSUB ${subjectsOf.all} 1\r\nPING\r\n`);
      socket.once('data', () => {
        socket.pause();
        socket.removeAllListeners('error').on('error', () => undefined);
        resolve(socket);
      });
    });
  });
}
