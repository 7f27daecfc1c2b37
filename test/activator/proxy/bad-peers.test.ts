// Clients and pods that stop, send too much, read nothing or close half of a connection: each is
// let go in time, and holds neither a pod nor anybody else.
import { describe, expect, it } from 'vitest';
import { echo, hello, podOf, rawPodOf } from './support/backends.ts';
import { until } from './support/client.ts';
import { headLines, TestPath } from './support/path.ts';

const post = `POST / HTTP/1.1\r\n${headLines}`;

describe('A client', () => {
  it('that sends 10 MB to a pod that has answered early gets the answer', async () => {
    const pod = podOf((_, response) => void response.writeHead(413).end('too large'));
    const path = await TestPath.with(pod);
    const body = Buffer.alloc(10 * 1_024 * 1_024, 'x');
    const got = await path.ask({
      method: 'POST',
      body,
      headers: { 'Content-Length': String(body.length) },
    });
    expect([got.status, got.body, got.headers['connection']]).toEqual([413, 'too large', 'close']);
  });

  it.each([
    ['nobody', { 'Knative-Serving-Revision': 'nobody' }, 404],
    ['a probe', { 'K-Network-Probe': 'other' }, 400],
  ])('that sends 10 MB to %s gets the answer', async (_, headers, status) => {
    const path = await TestPath.with(podOf(echo));
    const body = Buffer.alloc(10 * 1_024 * 1_024, 'x');
    const got = await path.ask({ method: 'POST', body, headers });
    expect(got.status).toBe(status);
  });

  it.each([
    ['a full queue', { maxWaiting: 0 }, 503],
    ['nobody in time', { rules: { maxMs: 60 } }, 504],
  ])('that sends 10 MB to %s gets the answer', async (_, settings, status) => {
    const path = await TestPath.start(settings);
    const got = await path.ask({ method: 'POST', body: Buffer.alloc(10 * 1_024 * 1_024, 'x') });
    expect(got.status).toBe(status);
  });

  it('that sends 10 MB to a pod that answers and breaks off hears of it', async () => {
    const pod = rawPodOf((socket) => {
      socket.once('data', () => {
        socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nfull');
        socket.once('data', () => socket.resetAndDestroy());
      });
    });
    const path = await TestPath.with(pod, { limit: 1 });
    const got = await path.ask({ method: 'POST', body: Buffer.alloc(10 * 1_024 * 1_024, 'x') });
    expect([413, 502]).toContain(got.status);
    await until(() => path.counted.active === 0);
  });

  it('that reads nothing of its answer holds a pod no longer than its time', async () => {
    const pod = podOf((_, response) => void response.write(Buffer.alloc(16 * 1_024 * 1_024, 'x')));
    const path = await TestPath.with(pod, { limit: 1, rules: { maxMs: 300 } });
    const client = path.raw();
    client.socket.pause();
    client.write(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    await until(() => path.counted.received === 1 && path.counted.underWay === 0);
    await until(() => path.counted.active === 0);
    expect(path.counted.endings.answered).toBe(0);
  });

  it('that stops in the middle of its body holds a pod no longer than its time', async () => {
    const path = await TestPath.with(podOf(echo), { limit: 1, rules: { maxMs: 60 } });
    const client = path.raw(`${post}Content-Length: 100\r\n\r\nhalf`);
    await client.closed();
    await until(() => path.counted.active === 0);
    await expect(path.ask()).resolves.toMatchObject({ status: 200 });
  });

  it('that closes its half of the connection in the middle of its body is let go', async () => {
    const path = await TestPath.with(podOf(echo), { limit: 1 });
    const client = path.raw(`${post}Content-Length: 100\r\n\r\nhalf`, { allowHalfOpen: true });
    await until(() => path.counted.active === 1);
    client.socket.end();
    await client.closed();
    await until(() => path.counted.active === 0);
  });

  it.each([
    ['in the middle of a head', `GET / HTTP/1.1\r\n${headLines}`, 0],
    ['before its first byte', '', 0],
    ['behind a request that waits', `GET / HTTP/1.1\r\n${headLines}\r\n`, 1],
    ['in the middle of chunks', `${post}Transfer-Encoding: chunked\r\n\r\n5\r\nab`, 1],
  ])('that closes its half %s is let go', async (_, text, begun) => {
    const path = await TestPath.start();
    const client = path.raw(text, { allowHalfOpen: true });
    await until(
      () => path.counted.received === begun && client.socket.bytesWritten === text.length,
    );
    client.socket.end();
    await client.closed();
    await until(() => path.counted.underWay === 0);
    expect(path.counted.endings.cancelled).toBe(begun);
  });

  it('beyond the number of connections is closed, and those that are there go on', async () => {
    const path = await TestPath.with(podOf(hello), { limits: { connections: 2 } });
    const [first, second] = [path.raw(), path.raw()];
    const get = `GET / HTTP/1.1\r\n${headLines}\r\n`;
    first.write(get);
    second.write(get);
    await first.until('hello');
    await second.until('hello');
    await expect(path.raw(get).closed()).resolves.toBe('');
    first.write(get);
    await first.until(/hello.*hello/s);
  });
});

describe('A pod', () => {
  it.each([
    ['GET /', '200 O\u0001K', '200 OK'],
    ['OPTIONS *', '200 O\u0001K', '200 OK'],
    ['OPTIONS *', '099 OK', '502 Bad Gateway'],
  ])('that answers %s with the status %j is passed on as %s', async (line, said, heard) => {
    const answer = `HTTP/1.1 ${said}\r\nContent-Length: 5\r\n\r\nhello`;
    const pod = rawPodOf((socket) => void socket.once('data', () => socket.end(answer)));
    const path = await TestPath.with(pod);
    const client = path.raw(`${line} HTTP/1.1\r\n${headLines}Connection: close\r\n\r\n`);
    await expect(client.closed()).resolves.toMatch(new RegExp(`^HTTP/1\\.1 ${heard}\r\n`));
  });

  it.each([
    ['before its answer', '', 502],
    ['in the head of its answer', 'HTTP/1.1 200 OK\r\nContent-', 502],
    ['in the middle of its answer', 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc', 200],
    ['in a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabc', 200],
  ])('that closes its half %s is given up at once', async (_, text, status) => {
    const pod = rawPodOf((socket) => void socket.once('data', () => socket.end(text)));
    const path = await TestPath.with(pod, { limit: 1 });
    await expect(path.ask()).resolves.toMatchObject({ status, isWhole: status === 502 });
    await until(() => path.counted.active === 0);
  });

  it('that answers twice is believed once, and its connection is not used again', async () => {
    const answer = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
    const pod = await rawPodOf((socket) => {
      socket.on('data', () => socket.write(`${answer}${answer.replace('hello', 'other')}`));
    });
    const path = await TestPath.with(pod);
    for (let count = 0; count < 5; count++) {
      await expect(path.ask()).resolves.toMatchObject({ status: 200, body: 'hello' });
    }
    expect(pod.connections).toBe(5);
  });
});
