// What no honest client sends: each is answered with an error or cut off, nothing of it reaches a
// pod, and other clients are served meanwhile.
import { describe, expect, it } from 'vitest';
import { echo, type Pod, podOf } from './support/backends.ts';
import { every, type RawClient, until } from './support/client.ts';
import { headLines, TestPath, toRevision } from './support/path.ts';

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
    [
      'has an encoding and HTTP/1.0',
      `POST / HTTP/1.0\r\n${headLines}Transfer-Encoding: chunked\r\n\r\n`,
    ],
    ['has a length in hexadecimal', `${post}Content-Length: 0x3\r\n\r\nabc`],
    ['has an empty length', `${post}Content-Length: \r\n\r\nabc`],
    ['has a header without a name', `${post}: 3\r\n\r\n`],
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
    ['a bare CR after a size', '3\rabc\r\n0\r\n\r\n'],
    ['a bare CR in its extension', '3;a=\rb\r\nabc\r\n0\r\n\r\n'],
    ['a bare LF in its extension', '3;a="\nGET / HTTP/1.1"\r\nabc\r\n0\r\n\r\n'],
    ['a zero byte in its extension', '3;a=\0\r\nabc\r\n0\r\n\r\n'],
    ['a size with a sign', '+3\r\nabc\r\n0\r\n\r\n'],
    ['a size in another notation', '0x3\r\nabc\r\n0\r\n\r\n'],
    ['no line end after its data', '3\r\nabc0\r\n\r\n'],
    ['a length behind it', '3\r\nabc\r\n0\r\nContent-Length: 5\r\n\r\n'],
    ['an encoding behind it', '3\r\nabc\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n'],
    ['a bare CR in the trailers behind it', '3\r\nabc\r\n0\r\nX-A: 1\rX-B: 2\r\n\r\n'],
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

  it('by an extension of a chunk is one: extensions stay here', async () => {
    const pod = await podOf(echo);
    const path = await TestPath.with(pod);
    const chunks = '3;a=GET;b="/ HTTP/1.1"\r\nabc\r\n0;c\r\n\r\n';
    const client = path.raw(`${post}Transfer-Encoding: chunked\r\n\r\n${chunks}`);
    await client.until(/abc\r\n0\r\n/);
    expect(client.text).not.toContain('a=GET');
    client.write(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    await client.until(/HTTP\/1.1 200.*HTTP\/1.1 200/s);
    expect(pod.seen).toBe(2);
  });

  it('by its trailers is one: what frames a request or names a revision is no trailer', async () => {
    const seen: (readonly string[])[] = [];
    const pod = podOf((request, response) => {
      request.resume().on('end', () => {
        seen.push(request.rawTrailers);
        response.end('hello');
      });
    });
    const path = await TestPath.with(pod);
    const trailers = 'Host: other\r\nKnative-Serving-Revision: other\r\nX-Sum: 1\r\n';
    const client = path.raw(
      `${post}Trailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n${trailers}\r\n`,
    );
    await client.until('hello');
    expect(seen).toEqual([['X-Sum', '1']]);
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

  it('with more headers than Node keeps by itself comes whole', async () => {
    const pod = await podOf((request, response) => {
      const count = request.rawHeaders.filter((name) => name.startsWith('X-M')).length;
      request.on('data', (chunk: Buffer) => response.end(`${String(chunk)} ${count}`));
    });
    const path = await TestPath.with(pod);
    const many = Array.from({ length: 3_000 }, (_, at) => `X-M${at}: 1\r\n`).join('');
    const client = path.raw(`${post}${many}Content-Length: 3\r\n\r\nabc`);
    await client.until('abc 3000');
  });

  it.each([
    ['nobody', 'nobody'],
    ['two revisions', `${toRevision['Knative-Serving-Revision']}\r\nKnative-Serving-Revision: b`],
    ['what every object has', '__proto__'],
    ['a path', '../../hello'],
    ['a script', '<script>alert(1)</script>'],
  ])(
    'that names %s is answered as plain text with 404, and the next one is served',
    async (_, name) => {
      const world = await served();
      const { path, pod } = world;
      const namespace = toRevision['Knative-Serving-Namespace'];
      const lines = `Host: a\r\nKnative-Serving-Namespace: ${namespace}\r\n`;
      const client = path.raw(
        `GET / HTTP/1.1\r\n${lines}Knative-Serving-Revision: ${name}\r\n\r\n`,
      );
      await client.until(/^HTTP\/1.1 404 .*not found\n$/s);
      expect(client.text).toContain('text/plain');
      expect(client.text).toContain('nosniff');
      expect(pod.seen).toBe(0);
      client.write(`GET / HTTP/1.1\r\n${headLines}\r\n`);
      await client.until('HTTP/1.1 200 ');
    },
  );

  it.each([
    'Upgrade: websocket\r\nConnection: upgrade\r\n',
    'Expect: 100-continue\r\nContent-Length: 3\r\n',
  ])('that names nobody and wants more is told so alone: %j', async (wanted) => {
    const { path } = await served();
    const client = path.raw(`POST / HTTP/1.1\r\nHost: a\r\n${wanted}\r\n`);
    expect(await client.closed()).toMatch(/^HTTP\/1.1 404 /);
  });

  it('that expects what nobody knows is refused', async () => {
    const world = await served();
    await expectRefused(world, world.path.raw(`${post}Expect: 200-ok\r\n\r\n`), /^HTTP\/1\.1 417 /);
  });

  it('of nonsense is refused', async () => {
    const world = await served();
    await expectRefused(world, world.path.raw('\x16\x03\x01\x02\x00\x01\x00'), /^HTTP\/1\.1 400 /);
  });
});
