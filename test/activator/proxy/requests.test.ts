// Requests by HTTP/1.1 that find a pod: which revision they are for, and what of them arrives.
import { describe, expect, it } from 'vitest';
import { echo, hello, podOf, rawPodOf } from './support/backends.ts';
import { ask, until } from './support/client.ts';
import { headLines, TestPath, toRevision } from './support/path.ts';

/** Of a request, as the pod got it. */
function seenBy(got: { readonly headers: Readonly<Record<string, unknown>> }) {
  const raw: unknown = JSON.parse(String(got.headers['x-seen']));
  if (!Array.isArray(raw)) throw new Error('the pod said nothing of what it got');
  const seen = new Map<string, string[]>();
  for (let at = 0; at < raw.length; at += 2) {
    const name = String(raw[at]).toLowerCase();
    seen.set(name, [...(seen.get(name) ?? []), String(raw[at + 1])]);
  }
  return (name: string): string | undefined => seen.get(name)?.join(' and ');
}

describe('A revision', () => {
  it.each(['hello.demo.svc.cluster.local', 'hello.demo.svc.cluster.local:8012'])(
    'is named by the host %s (H-78)',
    async (host) => {
      const { port } = await TestPath.with(podOf(hello));
      await expect(ask(port, { headers: { host } })).resolves.toMatchObject({ body: 'hello' });
    },
  );

  it.each([
    'hello.demo.svc.cluster.local',
    'hello.demo.svc',
    'hello.demo.pod.example.org',
    '.demo.svc.example.org',
  ])('is not named by the host %s where the domain is example.org (H-79)', async (host) => {
    const { port } = await TestPath.with(podOf(hello), { clusterDomain: 'example.org' });
    await expect(ask(port, { headers: { host } })).resolves.toMatchObject({ status: 404 });
  });

  it('is named in a cluster with a domain of its own (H-79)', async () => {
    const { port } = await TestPath.with(podOf(hello), { clusterDomain: 'example.org' });
    const headers = { host: 'hello.demo.svc.example.org' };
    await expect(ask(port, { headers })).resolves.toMatchObject({ status: 200 });
  });

  it('that is not known is answered in the words of Knative', async () => {
    const { port } = await TestPath.start();
    const headers = { ...toRevision, 'Knative-Serving-Revision': 'nobody' };
    await expect(ask(port, { headers })).resolves.toMatchObject({
      status: 404,
      body: 'Error getting active endpoint: revision.serving.knative.dev "nobody" not found\n',
    });
  });

  it('is looked up once for each request, and named to admission by that (H-76) (H-94)', async () => {
    const path = await TestPath.with(podOf(hello));
    const { plane } = path.revisions;
    const find = plane.find.bind(plane);
    const asked: string[] = [];
    plane.find = (namespace, name) => {
      asked.push(`${namespace}/${name}`);
      return find(namespace, name);
    };
    await path.ask();
    expect(asked).toEqual(['demo/hello']);
  });
});

describe('A request', () => {
  it('comes with the host it was for, marked as seen, and without headers for the activator (H-81, H-121)', async () => {
    const path = await TestPath.with(podOf(echo));
    const got = await path.ask({
      headers: { host: 'hello.example:80', 'K-Network-Hash': 'x', Connection: 'keep-alive, X-Own' },
    });
    const seen = seenBy(got);
    expect(seen('host')).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(seen('k-original-host')).toBe('hello.example:80');
    expect(seen('k-proxy-request')).toBe('activator');
    for (const name of [
      'knative-serving-revision',
      'knative-serving-namespace',
      'k-network-hash',
    ]) {
      expect(seen(name)).toBeUndefined();
    }
  });

  it('keeps the original host that it has already (H-81)', async () => {
    const path = await TestPath.with(podOf(echo));
    const got = await path.ask({ headers: { 'K-Original-Host': 'first.example' } });
    expect(seenBy(got)('k-original-host')).toBe('first.example');
  });

  it('loses what is of its connection, as its own list of names says (H-82)', async () => {
    const path = await TestPath.with(podOf(echo));
    const got = await path.ask({
      headers: {
        Connection: 'close, X-Own',
        'X-Own': '1',
        'Keep-Alive': 'timeout=5',
        'Proxy-Authorization': 'secret',
        'X-Kept': ['a', 'b'],
        'X-Forwarded-For': '10.1.2.3',
      },
    });
    const seen = seenBy(got);
    for (const name of ['x-own', 'keep-alive', 'proxy-authorization']) {
      expect(seen(name)).toBeUndefined();
    }
    expect(seen('x-kept')).toBe('a and b');
    expect(seen('x-forwarded-for')).toBe('10.1.2.3, 127.0.0.1');
  });

  it('names the Service to a mesh that routes by it, and only where it is so set (H-60)', async () => {
    const meshed = await TestPath.with(podOf(echo), { isPassthrough: true });
    const through = seenBy(await meshed.ask());
    expect(through('host')).toBe('hello-private.demo');
    expect(through('k-passthrough-lb')).toBe('true');
    const plain = await TestPath.with(podOf(echo));
    const direct = seenBy(await plain.ask({ headers: { 'K-Passthrough-Lb': 'true' } }));
    expect(direct('k-passthrough-lb')).toBeUndefined();
  });

  it('without a body stays without one (H-83)', async () => {
    const path = await TestPath.with(podOf(echo));
    for (const method of ['GET', 'DELETE', 'OPTIONS']) {
      const seen = seenBy(await path.ask({ method }));
      expect(seen('content-length')).toBeUndefined();
      expect(seen('transfer-encoding')).toBeUndefined();
    }
    // One for `*` goes to its pod by another client.
    const client = path.raw(`OPTIONS * HTTP/1.1\r\n${headLines}\r\n`);
    const text = await client.until(/x-seen: \[.*\]\r\n/i);
    expect(text).toContain('"k-proxy-request"');
    expect(text).not.toMatch(/"(?:content-length|transfer-encoding)"/i);
  });

  it.each(['POST', 'GET'])('of %s brings a body, with its length or in chunks', async (method) => {
    const path = await TestPath.with(podOf(echo));
    const body = 'x'.repeat(300_000);
    for (const framing of [
      { 'Content-Length': String(body.length) },
      { 'Transfer-Encoding': 'chunked' },
    ]) {
      const got = await path.ask({ method, body, headers: framing });
      expect([got.status, got.body === body]).toEqual([200, true]);
    }
  });

  it('that expects to be told to go on is told when a pod has it, not before', async () => {
    const path = await TestPath.start();
    const client = path.raw(
      `POST / HTTP/1.1\r\n${headLines}Content-Length: 3\r\nExpect: 100-continue\r\n\r\n`,
    );
    await until(() => path.counted.queued === 1);
    expect(client.text).toBe('');
    await path.add(await podOf(echo));
    await client.until('100 Continue');
    client.write('abc');
    await expect(client.until('abc')).resolves.toMatch(/200 OK/);
  });

  it('for * goes to the pod as it is', async () => {
    const pod = podOf((request, response) => void response.end(request.url));
    const path = await TestPath.with(pod);
    const client = path.raw(`OPTIONS * HTTP/1.1\r\n${headLines}\r\n`);
    await expect(client.until(/\r\n\r\n.*\*/s)).resolves.toMatch(/200 OK/);
  });
});

describe('An answer', () => {
  it('that streams arrives piece by piece, its head at once (H-84)', async () => {
    const steps: (() => void)[] = [];
    const pod = podOf((_, response) => {
      response.writeHead(200);
      response.flushHeaders();
      steps.push(
        () => void response.write('one'),
        () => void response.end('two'),
      );
    });
    const path = await TestPath.with(pod);
    const client = path.raw(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    await client.until('\r\n\r\n');
    expect(client.text).not.toContain('one');
    steps[0]?.();
    await client.until('one');
    expect(client.text).not.toContain('two');
    steps[1]?.();
    await client.until('0\r\n\r\n');
  });

  it('waits for a client that reads slowly, and holds no more than buffers have (H-86)', async () => {
    const size = 64 * 1_024 * 1_024;
    let written = 0;
    const chunk = Buffer.alloc(256 * 1_024, 'x');
    const pod = podOf((_, response) => {
      const fill = (): void => {
        while (written < size) {
          written += chunk.length;
          if (!response.write(chunk)) return void response.once('drain', fill);
        }
        response.end();
      };
      fill();
    });
    const path = await TestPath.with(pod);
    const client = path.raw();
    client.socket.pause();
    client.write(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    // A pod that has only paused goes on within a few turns.
    let still = 0;
    let last = 0;
    await until(() => {
      still = written > 0 && written === last ? still + 1 : 0;
      last = written;
      return still === 50;
    });
    expect(written).toBeLessThan(size);
    client.socket.destroy();
    await until(() => path.counted.underWay === 0);
  });

  it('comes back as the pod gave it: status, reason, repeated headers, encoding', async () => {
    const pod = podOf((_, response) => {
      response.writeHead(418, 'Short and stout', [
        ...['Set-Cookie', 'a=1', 'Set-Cookie', 'b=2'],
        ...['Content-Encoding', 'gzip', 'Connection', 'X-Mine', 'X-Mine', '1'],
      ]);
      response.end(Buffer.from([0x1f, 0x8b, 0xff]));
    });
    const path = await TestPath.with(pod);
    const client = path.raw(`GET / HTTP/1.1\r\n${headLines}Connection: close\r\n\r\n`);
    const text = await client.closed();
    expect(text).toMatch(/^HTTP\/1\.1 418 Short and stout\r\n/);
    expect(text.toLowerCase()).toContain('set-cookie: a=1\r\nset-cookie: b=2\r\n');
    expect(text.toLowerCase()).toContain('content-encoding: gzip');
    expect(text.toLowerCase()).not.toContain('x-mine');
  });

  it('has its early hints before it', async () => {
    const pod = podOf((_, response) => {
      response.writeEarlyHints({ link: '</a.css>; rel=preload' });
      response.end('hello');
    });
    const path = await TestPath.with(pod);
    const client = path.raw(`GET / HTTP/1.1\r\n${headLines}\r\n`);
    const text = await client.until('hello');
    expect(text).toMatch(/^HTTP\/1\.1 103 .*<\/a\.css>; rel=preload.*HTTP\/1\.1 200 /s);
  });

  it.each(['GET /', 'OPTIONS *'])(
    'to %s whose early hints Node does not read comes without them',
    async (line) => {
      const hints = 'HTTP/1.1 103 Early Hints\r\nLink: nonsense\r\n\r\n';
      const answer = `${hints}HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello`;
      const pod = rawPodOf((socket) => void socket.once('data', () => socket.end(answer)));
      const path = await TestPath.with(pod);
      const client = path.raw(`${line} HTTP/1.1\r\n${headLines}\r\n`);
      await expect(client.until('hello')).resolves.toMatch(/^HTTP\/1\.1 200 /);
    },
  );

  it.each([204, 304])('of %i has no body', async (status) => {
    const pod = podOf((_, response) => void response.writeHead(status).end());
    const path = await TestPath.with(pod);
    await expect(path.ask()).resolves.toMatchObject({ status, body: '', isWhole: true });
  });

  it('to HEAD has the length of the body that is not there', async () => {
    const pod = podOf((_, response) => void response.writeHead(200, { 'content-length': 5 }).end());
    const path = await TestPath.with(pod);
    const got = await path.ask({ method: 'HEAD' });
    expect([got.headers['content-length'], got.isWhole]).toEqual(['5', true]);
  });
});
