// Watches over real HTTPS: streams that break wherever a network can break them.
import { beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority, type Authority } from '#src/tls/authority.ts';
import { connect, follow, sendJson, startServer } from '../support/https-server.ts';

let authority: Authority;
beforeAll(async () => {
  authority = await createAuthority('test authority', systemClock.now());
});

describe('a watch', () => {
  const line = (name: string): string => `${JSON.stringify({ type: 'ADDED', object: { name } })}\n`;

  test('reads lines whose characters are cut by every possible chunk boundary', async () => {
    const bytes = Buffer.from(line('größe-€-🌳') + line('second'), 'utf8');
    const server = await startServer(authority, (request, response) => {
      const cut = Number(request.url?.slice(1));
      response.writeHead(200);
      response.write(bytes.subarray(0, cut), () => response.end(bytes.subarray(cut)));
    });
    const transport = connect({ server: server.url }, authority.cert);
    for (let cut = 1; cut < bytes.length; cut++) {
      const { events, end } = await follow(transport, `/${cut}`);
      expect(events.map((event) => event.object)).toEqual([
        { name: 'größe-€-🌳' },
        { name: 'second' },
      ]);
      expect(end).toEqual({ kind: 'ended' });
    }
  });

  test('that is reset in the middle of a line gives the whole lines and ends with an error', async () => {
    const server = await startServer(authority, (request, response) => {
      response.writeHead(200);
      response.write(line('whole') + '{"type":"ADD', () => request.socket.destroy());
    });
    const transport = connect({ server: server.url }, authority.cert);
    const { events, end } = await follow(transport, '/');
    expect(events).toHaveLength(1);
    expect(end).toMatchObject({ kind: 'ended', error: expect.any(Error) });
  });

  test('that ends in good order but in the middle of a line ends with an error', async () => {
    const server = await startServer(authority, (_request, response) => {
      response.writeHead(200).end('{"type":"ADDED","object":{}}');
    });
    const transport = connect({ server: server.url }, authority.cert);
    const { events, end } = await follow(transport, '/');
    expect(events).toEqual([]);
    expect(end).toMatchObject({ error: { message: 'the stream ended in the middle of a line' } });
  });

  test.each([
    ['a line that is no JSON', 'nonsense\n'],
    ['a line that is no event', '{"kind":"Pod"}\n'],
  ])('ends with an error at %s', async (_what, text) => {
    const server = await startServer(authority, (_request, response) => {
      response.writeHead(200);
      response.write(text);
    });
    const transport = connect({ server: server.url }, authority.cert);
    const { end } = await follow(transport, '/');
    expect(end).toMatchObject({ kind: 'ended', error: expect.any(Error) });
  });

  test('ends with an error at a line that is too long', async () => {
    const server = await startServer(authority, (_request, response) => {
      response.writeHead(200);
      response.write('x'.repeat(5_000));
    });
    const transport = connect({ server: server.url }, authority.cert, { maxLineBytes: 4_096 });
    const { end } = await follow(transport, '/');
    expect(end).toMatchObject({ error: { message: 'a line is longer than 4096 bytes' } });
  });

  test('that is refused hands over status, headers and body', async () => {
    const server = await startServer(authority, (_request, response) => {
      response.setHeader('retry-after', '3');
      sendJson(response, 429, { kind: 'Status', code: 429 });
    });
    const transport = connect({ server: server.url }, authority.cert);
    const { end } = await follow(transport, '/');
    expect(end).toMatchObject({
      kind: 'refused',
      response: { status: 429, headers: { 'retry-after': '3' }, body: { code: 429 } },
    });
  });

  test('that cannot be opened ends with an error', async () => {
    const transport = connect({ server: 'https://127.0.0.1:1' }, authority.cert);
    const { end } = await follow(transport, '/');
    expect(end).toMatchObject({ kind: 'ended', error: { code: 'ECONNREFUSED' } });
  });

  test('tells nothing after it was closed, not even the rest of a chunk', async () => {
    const server = await startServer(authority, (_request, response) => {
      response.writeHead(200);
      response.write(line('one') + line('two') + line('three'));
    });
    const transport = connect({ server: server.url }, authority.cert);
    const { events, end } = await follow(transport, '/', (close) => close());
    expect(events).toHaveLength(1);
    expect(end).toEqual({ kind: 'aborted' });
  });
});
