// Trailers by HTTP/1.1: they pass both ways, and none are announced where none can come, which Node
// would take for a mistake of ours and throw.
import { describe, expect, it } from 'vitest';
import { hello, podOf, rawPodOf } from './support/backends.ts';
import { headLines, TestPath } from './support/path.ts';

describe('A request', () => {
  it('brings its trailers, and gets those of the answer', async () => {
    const pod = podOf((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(200, { Trailer: 'X-Sum' });
        response.write(JSON.stringify(request.trailers));
        response.addTrailers({ 'X-Sum': '42' });
        response.end();
      });
    });
    const path = await TestPath.with(pod);
    const got = await path.ask({
      method: 'POST',
      body: 'abc',
      headers: { Trailer: 'X-Check', 'Transfer-Encoding': 'chunked' },
      trailers: { 'X-Check': 'ok' },
    });
    expect(JSON.parse(got.body)).toEqual({ 'x-check': 'ok' });
    expect(got.trailers).toEqual({ 'x-sum': '42' });
  });

  it.each([
    ['GET', ''],
    ['POST', 'abc'],
  ])(
    'that announces trailers which cannot come is served without them: %s',
    async (method, body) => {
      const path = await TestPath.with(podOf(hello));
      const length = `Content-Length: ${body.length}\r\nTrailer: X-Sum\r\n`;
      const client = path.raw(`${method} / HTTP/1.1\r\n${headLines}${length}\r\n${body}`);
      await expect(client.until('hello')).resolves.toMatch(/200 OK/);
    },
  );
});

describe('An answer', () => {
  it.each([
    ['GET / HTTP/1.0', 200],
    ['HEAD / HTTP/1.1', 200],
    ['OPTIONS * HTTP/1.0', 200],
    ['OPTIONS * HTTP/1.1', 204],
  ])('to %s of %i announces no trailers, as none can come', async (line, status) => {
    const body = status === 200 ? 'Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n' : '\r\n';
    const pod = rawPodOf((socket) => {
      socket.once('data', (sent) => {
        const isHead = sent.toString('latin1').startsWith('HEAD');
        const answer = isHead ? 'Transfer-Encoding: chunked\r\n\r\n' : body;
        socket.end(`HTTP/1.1 ${status} Fine\r\nTrailer: X-Sum\r\n${answer}`);
      });
    });
    const path = await TestPath.with(pod);
    const client = path.raw(`${line}\r\n${headLines}Connection: close\r\n\r\n`);
    const text = await client.closed();
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} Fine`));
    expect(text.toLowerCase()).not.toContain('trailer');
  });

  it.each(['GET / HTTP/1.1', 'OPTIONS * HTTP/1.1'])(
    'to %s that has a length announces no trailers',
    async (line) => {
      const pod = rawPodOf((socket) => {
        socket.once('data', () =>
          socket.end('HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nContent-Length: 2\r\n\r\nhi'),
        );
      });
      const path = await TestPath.with(pod);
      const text = await path.raw(`${line}\r\n${headLines}Connection: close\r\n\r\n`).closed();
      expect(text).toMatch(/^HTTP\/1\.1 200 OK/);
      expect(text.toLowerCase()).not.toContain('trailer');
    },
  );
});
