// The HTTP transport against real HTTPS servers: pooling, time limits, trust and credentials.
import { TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { fixedCredentials } from '#src/kube/connect/connection.ts';
import { cachedCredentials } from '#src/kube/connect/credentials.ts';
import { systemClock } from '#src/time/clock.ts';
import { createAuthority, type Authority } from '#src/tls/authority.ts';
import { eventually } from '#test/support/eventually.ts';
import { VirtualClock } from '#test/support/virtual-clock.ts';
import { connect, follow, sendJson, startServer, textOfRequest } from '../support/https-server.ts';

let authority: Authority;
beforeAll(async () => {
  authority = await createAuthority('test authority', systemClock.now());
});

describe('a request', () => {
  test('carries method, body, content type, user agent and the path of the server URL', async () => {
    const server = await startServer(authority, (request, response) => {
      const { method, url, headers } = request;
      const { accept, 'content-type': type, 'user-agent': agent } = headers;
      void textOfRequest(request).then((body) =>
        sendJson(response, 200, { method, url, accept, type, agent, body }),
      );
    });
    const transport = connect({ server: `${server.url}/clusters/c1/` }, authority.cert);
    const response = await transport.request({
      method: 'PATCH',
      path: '/api/v1/pods?x=1',
      contentType: 'application/merge-patch+json',
      body: { a: 'ä' },
    });
    expect(response.body).toEqual({
      method: 'PATCH',
      url: '/clusters/c1/api/v1/pods?x=1',
      accept: 'application/json',
      type: 'application/merge-patch+json',
      agent: 'coppice/test',
      body: '{"a":"ä"}',
    });
    expect(response.headers['content-type']).toBe('application/json');
  });

  test.each([
    { method: 'GET' },
    { method: 'POST', body: { a: 1 } },
    { method: 'DELETE', body: { preconditions: { uid: 'u' } } },
  ] as const)('reuses the connections of those before: $method', async (request) => {
    const server = await startServer(authority, (incoming, response) => {
      void textOfRequest(incoming).then(() => sendJson(response, 200, {}));
    });
    const transport = connect({ server: server.url }, authority.cert);
    for (let times = 0; times < 20; times++) await transport.request({ ...request, path: '/' });
    // One, or two where the second request came before the first socket was free again.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test('is not held up by open watches (R67)', async () => {
    const server = await startServer(authority, (request, response) => {
      if (request.url === '/watch') response.writeHead(200).flushHeaders();
      else sendJson(response, 200, {});
    });
    const transport = connect({ server: server.url }, authority.cert, { sockets: 1 });
    const watches = Array.from({ length: 12 }, () =>
      transport.watch('/watch', { event() {}, closed() {} }),
    );
    await expect(transport.request({ method: 'GET', path: '/' })).resolves.toMatchObject({
      status: 200,
    });
    for (const close of watches) close();
  });

  test('gives text where the answer is no JSON', async () => {
    const server = await startServer(authority, (_request, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
    });
    const transport = connect({ server: server.url }, authority.cert);
    const response = await transport.request({ method: 'GET', path: '/' });
    expect(response).toMatchObject({ status: 502, body: '<h1>Bad gateway</h1>' });
  });

  test('rejects when headers do not come in time', async () => {
    const server = await startServer(authority, () => {});
    const transport = connect({ server: server.url }, authority.cert, { headersTimeoutMs: 100 });
    const request = transport.request({ method: 'GET', path: '/' });
    await expect(request).rejects.toMatchObject({ code: 'UND_ERR_HEADERS_TIMEOUT' });
  });

  test('rejects when the body stops half way', async () => {
    const server = await startServer(authority, (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"a":');
    });
    const transport = connect({ server: server.url }, authority.cert, { bodyTimeoutMs: 100 });
    const request = transport.request({ method: 'GET', path: '/' });
    await expect(request).rejects.toMatchObject({ code: 'UND_ERR_BODY_TIMEOUT' });
  });

  test('rejects when the connection is reset, and the next one works', async () => {
    let count = 0;
    const server = await startServer(authority, (request, response) => {
      count += 1;
      if (count === 1) request.socket.destroy();
      else sendJson(response, 200, {});
    });
    const transport = connect({ server: server.url }, authority.cert);
    await expect(transport.request({ method: 'GET', path: '/' })).rejects.toMatchObject({
      code: 'UND_ERR_SOCKET',
    });
    await expect(transport.request({ method: 'GET', path: '/' })).resolves.toMatchObject({
      status: 200,
    });
  });

  test('rejects when it is aborted', async () => {
    const abort = new AbortController();
    let isLeft = false;
    const server = await startServer(authority, (request) => {
      request.socket.once('close', () => (isLeft = true));
      abort.abort();
    });
    const transport = connect({ server: server.url }, authority.cert);
    const request = transport.request({ method: 'GET', path: '/', signal: abort.signal });
    await expect(request).rejects.toMatchObject({ name: 'AbortError' });
    await eventually(
      'left by a client for which nobody waits',
      () => isLeft,
      (value) => value,
    );
  });

  test('that waits for a socket and is aborted rejects at once and costs no socket', async () => {
    const answers: (() => void)[] = [];
    const server = await startServer(authority, (_request, response) => {
      answers.push(() => sendJson(response, 200, {}));
    });
    const transport = connect({ server: server.url }, authority.cert, { sockets: 1 });
    const abort = new AbortController();
    const first = transport.request({ method: 'GET', path: '/first' });
    const { signal } = abort;
    const second = transport.request({ method: 'GET', path: '/second', signal });
    const third = transport.request({ method: 'GET', path: '/third' });
    await eventually(
      'the first request',
      () => answers.length,
      (count) => count === 1,
    );
    abort.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    answers[0]?.();
    await expect(first).resolves.toMatchObject({ status: 200 });
    await eventually(
      'the third request',
      () => answers.length,
      (count) => count === 2,
    );
    answers[1]?.();
    await expect(third).resolves.toMatchObject({ status: 200 });
    expect(server.connections()).toBe(1);
  });

  test('is refused after close', async () => {
    const transport = connect({ server: 'https://127.0.0.1:1' }, authority.cert);
    await transport.close();
    await expect(transport.request({ method: 'GET', path: '/' })).rejects.toThrow('was closed');
  });
});

describe('trust', () => {
  test('refuses a server whose certificate another authority signed', async () => {
    const server = await startServer(authority, (_request, response) =>
      sendJson(response, 200, {}),
    );
    const other = await createAuthority('another', systemClock.now());
    const transport = connect({ server: server.url }, other.cert);
    await expect(transport.request({ method: 'GET', path: '/' })).rejects.toThrow(/certificate/);
  });

  test('takes any certificate where the connection says insecure', async () => {
    const server = await startServer(authority, (_request, response) =>
      sendJson(response, 200, {}),
    );
    const transport = connect({ server: server.url, tls: { insecure: true } }, authority.cert);
    await expect(transport.request({ method: 'GET', path: '/' })).resolves.toMatchObject({
      status: 200,
    });
  });

  test('checks the certificate against tls-server-name where there is one', async () => {
    const server = await startServer(authority, (_request, response) =>
      sendJson(response, 200, {}),
    );
    const named = (servername: string) =>
      connect({ server: server.url, tls: { ca: authority.cert, servername, insecure: false } }, '');
    await expect(named('apiserver').request({ method: 'GET', path: '/' })).resolves.toMatchObject({
      status: 200,
    });
    await expect(named('other').request({ method: 'GET', path: '/' })).rejects.toThrow(/altnames/);
  });

  test('refuses a server that is no URL by saying what would be right', () => {
    expect(() => connect({ server: 'kubernetes' }, '')).toThrow(
      'https://10.0.0.1:6443 would be right',
    );
  });
});

describe('credentials', () => {
  const subjectServer = () =>
    startServer(
      authority,
      (request, response) => {
        const { socket } = request;
        const isTls = socket instanceof TLSSocket;
        sendJson(response, 200, { subject: isTls ? socket.getPeerCertificate().subject : null });
      },
      { requestCert: true, rejectUnauthorized: true },
    );

  test('may be a client certificate, and a renewed one is used from then on', async () => {
    const server = await subjectServer();
    const alice = await authority.client('alice', []);
    const bob = await authority.client('bob', []);
    let pair = alice;
    const credentials = {
      current: () => Promise.resolve({ headers: {}, ...pair }),
      refused: () => {},
    };
    const transport = connect({ server: server.url, credentials }, authority.cert);
    const subject = async (): Promise<unknown> =>
      (await transport.request({ method: 'GET', path: '/' })).body;
    expect(await subject()).toMatchObject({ subject: { CN: 'alice' } });
    pair = bob;
    expect(await subject()).toMatchObject({ subject: { CN: 'bob' } });
  });

  test('that the server refuses are read again once, and the request is repeated', async () => {
    const seen: (string | undefined)[] = [];
    const server = await startServer(authority, (request, response) => {
      seen.push(request.headers.authorization);
      sendJson(response, request.headers.authorization === 'Bearer 2' ? 201 : 401, {});
    });
    let token = 1;
    const read = () => Promise.resolve({ headers: { authorization: `Bearer ${token++}` } });
    const credentials = cachedCredentials(new VirtualClock(), read);
    const transport = connect({ server: server.url, credentials }, authority.cert);
    const response = await transport.request({ method: 'POST', path: '/', body: {} });
    expect(response.status).toBe(201);
    expect(seen).toEqual(['Bearer 1', 'Bearer 2']);
  });

  test('that cannot be read again reject with the reason, and the socket lives on', async () => {
    const server = await startServer(authority, (_request, response) =>
      sendJson(response, 401, { filler: 'x'.repeat(100_000) }),
    );
    let reads = 0;
    const credentials = cachedCredentials(new VirtualClock(), () => {
      reads += 1;
      return reads === 1 ? Promise.resolve({ headers: {} }) : Promise.reject(new Error('log in'));
    });
    const transport = connect({ server: server.url, credentials }, authority.cert, { sockets: 1 });
    for (let times = 0; times < 3; times++) {
      await expect(transport.request({ method: 'GET', path: '/' })).rejects.toThrow('log in');
    }
    expect(server.connections()).toBe(1);
  });

  test('that cannot change are not tried twice', async () => {
    let count = 0;
    const server = await startServer(authority, (_request, response) => {
      count += 1;
      sendJson(response, 401, { reason: 'Unauthorized' });
    });
    const credentials = fixedCredentials({ headers: { authorization: 'Bearer no' } });
    const transport = connect({ server: server.url, credentials }, authority.cert);
    const response = await transport.request({ method: 'GET', path: '/' });
    expect(response).toMatchObject({ status: 401, body: { reason: 'Unauthorized' } });
    expect(count).toBe(1);
  });

  test('refused on a watch are read again too', async () => {
    const server = await startServer(authority, (request, response) => {
      if (request.headers.authorization !== 'Bearer 2') return sendJson(response, 401, {});
      response.writeHead(200).end('{"type":"BOOKMARK","object":{}}\n');
    });
    let token = 1;
    const read = () => Promise.resolve({ headers: { authorization: `Bearer ${token++}` } });
    const credentials = cachedCredentials(new VirtualClock(), read);
    const transport = connect({ server: server.url, credentials }, authority.cert);
    const watched = await follow(transport, '/');
    expect(watched.events).toHaveLength(1);
  });
});
