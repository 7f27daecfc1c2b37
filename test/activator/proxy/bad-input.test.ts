// What no honest client sends: each is answered with an error or cut off, nothing of it reaches a
// pod, and other clients are served meanwhile.
import { describe, expect, it } from 'vitest';
import { echo, hello, type Pod, podOf } from './support/backends.ts';
import { every, type RawClient, until } from './support/client.ts';
import { headLines, TestPath } from './support/path.ts';

interface Served {
  readonly path: TestPath;
  readonly pod: Pod;
}

async function served(settings: Parameters<typeof TestPath.with>[1] = {}): Promise<Served> {
  const pod = await podOf(echo);
  return { path: await TestPath.with(pod, settings), pod };
}

/** It was answered as bad and its connection closed; nobody else noticed. */
async function expectRefused({ path, pod }: Served, client: RawClient, status: RegExp) {
  await expect(client.closed()).resolves.toMatch(status);
  expect(pod.seen).toBe(0);
  await expect(path.ask({ path: '/other' })).resolves.toMatchObject({ status: 200 });
}

const post = `POST / HTTP/1.1\r\n${headLines}`;

describe('A request that could be two', () => {
  it.each([
    ['has both lengths', `${post}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
    ['has two lengths', `${post}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`],
    ['has a length of two numbers', `${post}Content-Length: 3, 3\r\n\r\nabc`],
    ['has a length with a sign', `${post}Content-Length: +3\r\n\r\nabc`],
    ['has an encoding after chunked', `${post}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
    ['has an encoding in disguise', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
    ['has a space before the colon', `${post}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
    ['has a bare CR in a header', `${post}X-A: 1\rContent-Length: 3\r\n\r\nabc`],
    ['has a bare CR after the first line', `GET / HTTP/1.1\r${headLines}\r\n`],
    ['has a folded header', `${post}X-A: 1\r\n\tContent-Length: 3\r\n\r\n`],
    ['has a zero byte in a header', `${post}X-A: a\0b\r\n\r\n`],
    ['has no host', 'GET / HTTP/1.1\r\nX-A: 1\r\n\r\n'],
    ['has two hosts', `GET / HTTP/1.1\r\n${headLines}Host: other\r\n\r\n`],
    ['has no version', `GET /\r\n${headLines}\r\n`],
    ['has a space in its path', `GET /a b HTTP/1.1\r\n${headLines}\r\n`],
    ['wants a tunnel', `CONNECT other.example:443 HTTP/1.1\r\n${headLines}\r\n`],
  ])('as it %s is refused', async (_, text) => {
    const world = await served();
    const client = world.path.raw(`${text}GET /smuggled HTTP/1.1\r\n${headLines}\r\n`);
    client.socket.once('data', () => client.socket.end());
    await expectRefused(world, client, /^HTTP\/1\.1 400 /);
  });

  it.each([
    ['a size that is no number', 'zz\r\nabc\r\n0\r\n\r\n'],
    ['a size beyond all numbers', 'fffffffffffffffff\r\nabc'],
    ['more than its size says', '2\r\nabcdef\r\n0\r\n\r\n'],
    ['a bare LF after a size', '3\nabc\r\n0\r\n\r\n'],
    ['an extension without an end', `3;${'x'.repeat(100_000)}\r\nabc\r\n0\r\n\r\n`],
  ])('as a chunk has %s is cut off', async (_, chunks) => {
    const { path } = await served();
    const client = path.raw(`${post}Transfer-Encoding: chunked\r\n\r\n${chunks}`);
    const text = await client.closed();
    expect(text).not.toContain('200 OK\r\n\r\nabc');
    await until(() => path.counted.underWay === 0);
    expect(path.counted.endings.answered).toBe(0);
    await expect(path.ask({ path: '/other' })).resolves.toMatchObject({ status: 200 });
  });

  it('by an extension of a chunk is one for the pod too: extensions stay here', async () => {
    const { path, pod } = await served();
    const client = path.raw(
      `${post}Transfer-Encoding: chunked\r\n\r\n3;a="\nGET / HTTP/1.1"\r\nabc\r\n0\r\n\r\n`,
    );
    await client.until(/abc|400/);
    expect(pod.seen).toBeLessThanOrEqual(1);
    await expect(path.ask()).resolves.toMatchObject({ status: 200 });
  });
});

describe('A head', () => {
  it('that is too large is refused by its status', async () => {
    const world = await served({ limits: { headerBytes: 8_192 } });
    const client = world.path.raw(
      `GET / HTTP/1.1\r\n${headLines}X-A: ${'x'.repeat(20_000)}\r\n\r\n`,
    );
    await expectRefused(world, client, /^HTTP\/1\.1 431 /);
  });

  it.each(['', 'GET / HTTP/1.1\r\nHos', `GET / HTTP/1.1\r\n${headLines}`, 'PRI * HTT'])(
    'that does not end in time is cut off: %j (H-92)',
    async (text) => {
      const world = await served({ limits: { headerMs: 40 } });
      await expectRefused(world, world.path.raw(text), /^$|^HTTP\/1\.1 408 /);
    },
  );

  it('that comes byte by byte is cut off too, and the others wait for nothing (H-92)', async () => {
    const world = await served({ limits: { headerMs: 60 } });
    const slow = Array.from({ length: 50 }, () => world.path.raw('GET / HTTP/1.1\r\n'));
    const stop = every(10, () => {
      for (const client of slow) if (!client.isClosed) client.write('X-A: 1\r\n');
    });
    await expect(world.path.ask()).resolves.toMatchObject({ status: 200 });
    await Promise.all(slow.map((client) => client.closed()));
    stop();
  });

  it('of nonsense is refused', async () => {
    const world = await served();
    await expectRefused(world, world.path.raw('\x16\x03\x01\x02\x00\x01\x00'), /^HTTP\/1\.1 400 /);
  });
});

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
    const { path } = await served();
    const body = Buffer.alloc(10 * 1_024 * 1_024, 'x');
    const got = await path.ask({ method: 'POST', body, headers });
    expect(got.status).toBe(status);
  });

  it('that stops in the middle of its body holds a pod no longer than its time', async () => {
    const { path } = await served({ limit: 1, rules: { maxMs: 60 } });
    const client = path.raw(`${post}Content-Length: 100\r\n\r\nhalf`);
    await client.closed();
    expect(path.counted.active).toBe(0);
    await expect(path.ask()).resolves.toMatchObject({ status: 200 });
  });

  it('that closes its half of the connection in the middle of its body is let go', async () => {
    const { path } = await served({ limit: 1 });
    const client = path.raw(`${post}Content-Length: 100\r\n\r\nhalf`, { allowHalfOpen: true });
    await until(() => path.counted.active === 1);
    client.socket.end();
    await client.closed();
    await until(() => path.counted.active === 0);
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
