// The proxy for NATS against a server that returns every byte: what it does to bytes, and what it
// leaves unsaid.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { TcpProxy } from './tcp-proxy.ts';

const echo = createServer((socket) => socket.on('error', () => undefined).pipe(socket));
let proxy: TcpProxy;
let client: Client;

class Client {
  readonly socket: Socket;
  heard = '';
  isClosed = false;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk: Buffer) => (this.heard += chunk.toString()));
    this.socket.once('close', () => (this.isClosed = true));
  }

  hears(text: string): Promise<unknown> {
    return eventually(
      'heard',
      () => this.heard,
      (heard) => heard === text,
    );
  }

  closed(): Promise<unknown> {
    return eventually(
      'closed',
      () => this.isClosed,
      (yes) => yes,
    );
  }
}

beforeAll(async () => {
  await new Promise<void>((ready) => echo.listen(0, '127.0.0.1', ready));
  const { port } = echo.address() as AddressInfo;
  proxy = await TcpProxy.start(() => port);
});
beforeEach(async () => {
  client = new Client(proxy.port);
  client.socket.write('hello ');
  await client.hears('hello ');
  return () => client.socket.destroy();
});
afterAll(async () => {
  await proxy.end();
  await new Promise((closed) => echo.close(closed));
});

describe('The proxy for NATS', () => {
  test('delays bytes in order', async () => {
    proxy.delay(50);
    const begun = performance.now();
    client.socket.write('a');
    await client.hears('hello a');
    expect(performance.now() - begun).toBeGreaterThan(95);
    client.socket.write('b');
    proxy.heal();
    client.socket.write('c');
    await client.hears('hello abc');
  });

  test('cuts connections, and lets new ones in', async () => {
    proxy.cut();
    await client.closed();
    const next = new Client(proxy.port);
    next.socket.write('x');
    await next.hears('x');
    next.socket.destroy();
  });

  test('forwards nothing and closes nothing while partitioned', async () => {
    proxy.partition();
    client.socket.write('lost');
    const late = new Client(proxy.port);
    late.socket.write('lost');
    await eventually(
      'two clients',
      () => proxy.connections,
      (count) => count === 2,
    );
    expect([client.isClosed, late.isClosed, client.heard, late.heard]).toEqual([
      false,
      false,
      'hello ',
      '',
    ]);
    proxy.heal();
    await Promise.all([client.closed(), late.closed()]);
  });

  test('reads nothing while deaf, so that buffers fill, and everything afterwards', async () => {
    proxy.deafen();
    const much = 'x'.repeat(16 * 1024 * 1024);
    client.socket.write(much);
    expect(client.socket.writableLength).toBeGreaterThan(0);
    expect(client.heard).toBe('hello ');
    proxy.heal();
    await client.hears(`hello ${much}`);
  });

  test('is away and back on the same port', async () => {
    await proxy.away();
    await client.closed();
    await new Client(proxy.port).closed();
    await proxy.back();
    const next = new Client(proxy.port);
    next.socket.write('x');
    await next.hears('x');
    next.socket.destroy();
  });
});
