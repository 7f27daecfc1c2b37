// NATS absent, killed, silent or congested, with a real server: the bus never throws, never
// blocks, stays bounded, and everything is there again when NATS is.
import { connect as connectSocket } from 'node:net';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { busLimits } from '#bus/limits.ts';
import { subjectsOf } from '#bus/subjects.ts';
import { systemClock } from '#src/time/clock.ts';
import { envelopeTo, factOf, key } from '#test/support/bus/samples.ts';
import { natsSkip } from '#test/support/nats.ts';
import { freePort } from '#test/support/ports.ts';
import { eventually, monitor, signal, Stage, until } from './stage.ts';

const ask = { about: key('a'), question: 'state', payload: {} } as const;

describe.skipIf(natsSkip !== '')(`the bus over NATS with faults${natsSkip}`, () => {
  let stage: Stage;
  beforeEach(() => {
    stage = new Stage();
  });
  afterEach(() => stage.clear());

  it('keeps the latest facts while NATS is absent at start, and sends them when it comes', async () => {
    const port = await freePort();
    const bus = stage.join({ servers: [`127.0.0.1:${port}`] });
    for (let i = 0; i < 1_000; i++) bus.fact(factOf(key(`a-${i % 10}`), { i }));
    expect(bus.tell(envelopeTo(key('a')))).toBe(false);
    expect(await bus.ask(ask, 60_000)).toMatchObject({ ok: false, code: 'UNREACHABLE' });
    expect(bus.state()).toMatchObject({ connected: false, waiting: 10, coalesced: 990 });
    const server = await stage.start({ port });
    await until(() => bus.state().history);
    expect(bus.state()).toMatchObject({ waiting: 0, published: 10, dropped: 990, problem: null });
    expect(server.port).toBe(port);
  });

  it('bounds what waits, and counts every fact that it gave up', () => {
    const bus = stage.join({ servers: ['127.0.0.1:1'] });
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
    const bus = stage.join({ servers: [`127.0.0.1:${port}`] });
    await bus.close();
    const server = await stage.start({ port });
    const connections = await monitor(server, 'connz?state=any');
    expect(connections['total']).toBe(0);
  });

  it('is all there again after the server was killed and started on the same port', async () => {
    const first = await stage.start({ port: await freePort() });
    const bus = await stage.joined({ servers: [first.url] });
    const heard: string[] = [];
    bus.onTell((envelope) => heard.push(envelope.id));
    bus.onAsk(() => Promise.resolve({ ok: true, data: { alive: true } }));
    expect(await bus.ask(ask, 2_000)).toMatchObject({ ok: true });
    await stage.dies(first);
    await until(() => !bus.state().connected);
    bus.fact(factOf(key('a'), {}, 'while-away'));
    expect(bus.tell(envelopeTo(key('a')))).toBe(false);

    await stage.start({ port: first.port });
    await until(() => bus.state().history);
    expect(bus.state()).toMatchObject({ losses: 1, waiting: 0 });
    expect(bus.tell(envelopeTo(key('a'), 'm-2'))).toBe(true);
    await until(() => heard.length > 0);
    expect(heard).toEqual(['m-2']);
    expect(await bus.ask(ask, 2_000)).toEqual({ ok: true, data: { alive: true } });
  });

  it('notices a server that is silent, keeps what it may, and returns when the server does', async () => {
    const server = await stage.start();
    const bus = await stage.joined({ servers: [server.url], pingIntervalMs: 200 });
    const since = systemClock.now();
    signal(server, 'SIGSTOP');
    await until(() => !bus.state().connected);
    expect(systemClock.now() - since).toBeLessThan(5_000);
    bus.fact(factOf(key('a')));
    expect(bus.state()).toMatchObject({ waiting: 1, roundTripMs: null });
    signal(server, 'SIGCONT');
    await until(() => bus.state().connected && bus.state().waiting === 0);
  });

  it('gives a server that takes nothing no more than the bound, and leaves it all the same', async () => {
    const first = await stage.start();
    const bus = await stage.joined({ servers: [first.url], pingIntervalMs: 200, history: null });
    signal(first, 'SIGSTOP');
    const data = { pad: 'x'.repeat(100_000) };
    for (let i = 0; i < 300; i++) bus.fact(factOf(key(`a-${i}`), data));
    const { published, waiting } = bus.state();
    expect(published * 100_000).toBeLessThan(busLimits.unconfirmedBytes + 200_000);
    expect(waiting * 100_000).toBeLessThanOrEqual(busLimits.outboxBytes);
    expect(bus.tell(envelopeTo(key('a')))).toBe(false);
    await until(() => !bus.state().connected);
    await stage.dies(first);
    await stage.start({ port: first.port });
    await until(() => bus.state().connected && bus.state().waiting === 0);
  });

  it('says once what went wrong between two connections, and nothing when it is closed', async () => {
    const logged: string[] = [];
    const note = (level: string, message: string, fields: object): void => {
      const [first] = Object.values(fields);
      if (level !== 'debug') logged.push(`${level} ${message} ${String(first)}`);
    };
    // Whoever dies with something unread resets its connections, and that is told too.
    const isReset = (line: string): boolean => line.endsWith(' ECONNRESET');
    const told = (): readonly string[] =>
      logged.filter((line) => line.includes('NATS') && !isReset(line));
    const first = await stage.start();
    const connected = `info connected to NATS 127.0.0.1:${first.port}`;
    const bus = await stage.joined({ servers: [first.url], history: null }, note);
    expect(told()).toEqual([connected]);
    expect(bus.state()).toMatchObject({ problem: null, losses: 0, history: false });
    await stage.dies(first);
    await until(() => told().length === 3);
    const refused = `127.0.0.1:${first.port}: connect ECONNREFUSED 127.0.0.1:${first.port}`;
    const trouble = 'warn trouble with NATS';
    expect(told()).toEqual([connected, `${trouble} lost the connection`, `${trouble} ${refused}`]);
    expect(bus.state()).toMatchObject({ problem: refused, losses: 1 });
    const second = await stage.start({ port: first.port });
    await until(() => bus.state().connected);
    expect(bus.state()).toMatchObject({ problem: null, losses: 1 });
    // What is known already counts anew for the next loss.
    const before = told().length;
    await stage.dies(second);
    const since = (): readonly string[] => told().slice(before);
    await until(() => since().includes(`${trouble} ${refused}`));
    expect(since()[0]).toBe(`${trouble} lost the connection`);
    await stage.start({ port: first.port });
    await until(() => bus.state().connected);
    await bus.close();
    // A server that is about to listen may give another reason, once as well.
    expect(since().at(-1)).toBe(connected);
    expect(new Set(since()).size).toBe(since().length);
    expect(bus.state()).toMatchObject({ connected: false, problem: null, losses: 3 });
  });

  it('says that a server is silent, and not that it was lost as well', async () => {
    const problems: unknown[] = [];
    const server = await stage.start();
    const given = { servers: [server.url], pingIntervalMs: 100, history: null };
    const bus = await stage.joined(given, (level, _, fields) => {
      if (level === 'warn') problems.push(Object.values(fields)[0]);
    });
    signal(server, 'SIGSTOP');
    await until(() => !bus.state().connected);
    expect(problems[0]).toBe('the server does not answer pings');
    expect(problems).not.toContain('lost the connection');
  });

  it('drops a fact that is too large for this server, and goes on with the next', async () => {
    const server = await stage.start({ settings: { max_payload: 2_000 } });
    const bus = await stage.joined({ servers: [server.url], history: null });
    bus.fact(factOf(key('a'), { pad: 'x'.repeat(2_000) }));
    bus.fact(factOf(key('a')));
    await until(() => bus.state().published === 1);
    expect(bus.state()).toMatchObject({ dropped: 1, waiting: 0, connected: true });
  });

  it('is not slowed by a subscriber that never reads', async () => {
    const server = await stage.start({
      settings: { max_pending: 1_100_000, write_deadline: '200ms' },
    });
    const bus = await stage.joined({ servers: [server.url], history: null });
    const deaf = await deafSubscriber(server.port);
    const data = { pad: 'x'.repeat(10_000) };
    // A server that stands still for a moment gets only the latest of them, and so few would fit
    // into the buffers of the system.
    let told = 0;
    while (bus.state().published < 2_000) {
      bus.fact(factOf(key('a'), data, `f-${told++}`));
      if (told % 50 === 0) await new Promise<void>((resolve) => systemClock.soon(resolve));
    }
    // The last ones leave together, after a moment.
    await until(() => bus.state().published + bus.state().coalesced === told);
    expect(bus.state()).toMatchObject({ connected: true, losses: 0, waiting: 0 });
    await eventually(async () => {
      expect((await monitor(server, 'varz'))['slow_consumers']).toBe(1);
    });
    deaf.destroy();
  });
});

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
