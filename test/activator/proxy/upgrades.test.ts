// Connections that leave HTTP for another protocol, as WebSocket does: bytes pass both ways until
// either side ends, and one of them holds its pod as a request does.
import { describe, expect, it } from 'vitest';
import { type Pod, podOf, rawPodOf } from './support/backends.ts';
import { until } from './support/client.ts';
import { headLines, TestPath } from './support/path.ts';

const wanted = `GET /chat HTTP/1.1\r\n${headLines}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\n`;

/** Agrees, and echoes whatever comes. */
const echoing = (onHead: (head: string) => void = () => undefined): Promise<Pod> =>
  rawPodOf((socket) => {
    socket.once('data', (head: Buffer) => {
      onHead(head.toString('latin1'));
      socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
      socket.pipe(socket);
    });
  });

describe('An upgrade', () => {
  it('passes, and bytes go both ways (H-85)', async () => {
    let head = '';
    const pod = await echoing((got) => {
      head = got;
    });
    const path = await TestPath.with(pod);
    const client = path.raw(wanted);
    await client.until(/^HTTP\/1\.1 101 .*\r\n\r\n/s);
    expect(head.toLowerCase()).toContain('upgrade: websocket');
    expect(head.toLowerCase()).toContain('connection: upgrade');
    for (const word of ['one', 'two']) {
      client.write(word);
      await client.until(word);
    }
    expect(path.counted.active).toBe(1);
    client.socket.end();
    await client.closed();
    await until(() => path.counted.underWay === 0);
    expect(path.counted.endings.answered + path.counted.endings.cancelled).toBe(1);
  });

  it('waits for a pod as any request does', async () => {
    const path = await TestPath.start();
    const client = path.raw(wanted);
    await until(() => path.counted.queued === 1);
    await path.add(await echoing());
    await client.until('101');
    client.write('late');
    await client.until('late');
  });

  it('that the pod declines is a plain answer', async () => {
    const path = await TestPath.with(
      podOf((_, response) => void response.writeHead(403).end('not you')),
    );
    const client = path.raw(wanted);
    await expect(client.closed()).resolves.toMatch(/^HTTP\/1\.1 403 .*not you/s);
  });

  it('ends for the client when its pod ends it', async () => {
    const path = await TestPath.with(
      rawPodOf((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nbye');
          socket.end();
        });
      }),
    );
    const client = path.raw(wanted);
    await expect(client.closed()).resolves.toMatch(/^HTTP\/1\.1 101 .*bye$/s);
    await until(() => path.counted.underWay === 0);
  });

  it('that its pod breaks off leaves no connection, though its client ends no more than its half', async () => {
    const sockets = (): number =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'TCPSocketWrap').length;
    const path = await TestPath.with(
      rawPodOf((socket) => {
        socket.once('data', () => {
          socket.write('HTTP/1.1 101 S\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n');
          socket.once('data', () => socket.resetAndDestroy());
        });
      }),
    );
    const before = sockets();
    const client = path.raw(wanted, { allowHalfOpen: true });
    client.socket.on('end', () => client.socket.end('still here'));
    await client.until('101');
    client.write('x');
    await client.closed();
    await until(() => sockets() === before && path.counted.underWay === 0);
  });

  it('that never comes to be is answered with 502', async () => {
    const path = await TestPath.with(
      rawPodOf((socket) => void socket.once('data', () => socket.destroy())),
    );
    await expect(path.raw(wanted).closed()).resolves.toMatch(/^HTTP\/1\.1 502 /);
  });

  it('to h2c is answered by HTTP/1.1, and so is one that brings a body', async () => {
    const path = await TestPath.with(
      podOf((request, response) => {
        request.resume().on('end', () => response.end(String(request.headers.upgrade)));
      }),
    );
    const h2c = wanted.replace('websocket', 'h2c');
    await expect(path.raw(h2c).until('undefined')).resolves.toMatch(/200 OK/);
    const body = wanted
      .replace('GET', 'POST')
      .replace('\r\n\r\n', '\r\nContent-Length: 3\r\n\r\nabc');
    await expect(path.raw(body).until('undefined')).resolves.toMatch(/200 OK/);
  });
});
