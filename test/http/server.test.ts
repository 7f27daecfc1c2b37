// The HTTP server with real sockets on free ports: methods, paths, probes, busy ports.
import { afterEach, describe, expect, it } from 'vitest';
import { probeRoutes } from '#src/http/probes.ts';
import { json, ListenError, type Routes, type RunningServer, serve } from '#src/http/server.ts';

const running: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

async function start(routes: Routes, port = 0) {
  const errors: unknown[] = [];
  const server = await serve({
    host: '127.0.0.1',
    port,
    name: 'health',
    setting: 'server.healthPort',
    routes,
    onError: (error) => errors.push(error),
  });
  running.push(server);
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { method });
    return { status: response.status, body: await response.text(), headers: response.headers };
  };
  return { server, ask, errors };
}

const routes: Routes = {
  '/tree': (query) => json(200, { name: query.get('name') }),
  '/broken': () => {
    throw new Error('secret detail');
  },
};

describe('The server', () => {
  it('answers GET with the reply of the route', async () => {
    const { ask } = await start(routes);
    const { status, body, headers } = await ask('/tree?name=demo');
    expect([status, body]).toEqual([200, '{"name":"demo"}\n']);
    expect(headers.get('content-type')).toBe('application/json');
  });

  it('answers HEAD like GET without the body', async () => {
    const { ask } = await start(routes);
    const { status, body, headers } = await ask('/tree', 'HEAD');
    expect([status, body, headers.get('content-length')]).toEqual([200, '', '14']);
  });

  it('says 404 for an unknown path and what there is', async () => {
    const { ask } = await start(routes);
    const { status, body } = await ask('/nothing');
    expect(status).toBe(404);
    expect(body).toBe('nothing at /nothing; there is /tree /broken\n');
    expect((await ask('/tree/below')).status).toBe(404);
    expect((await ask('/constructor')).status).toBe(404);
  });

  it('says 405 with Allow for another method', async () => {
    const { ask } = await start(routes);
    const { status, headers } = await ask('/tree', 'POST');
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  it('hides the reason of a crash from the client and reports it', async () => {
    const { ask, errors } = await start(routes);
    const { status, body } = await ask('/broken');
    expect(status).toBe(500);
    expect(body).not.toContain('secret');
    expect(errors).toHaveLength(1);
  });

  it('names a busy port, what it was for and where to choose another', async () => {
    const { server } = await start(routes);
    const second = start(routes, server.port);
    await expect(second).rejects.toThrow(ListenError);
    await expect(second).rejects.toThrow(
      `port ${server.port} of 127.0.0.1 (health) is taken by another process; ` +
        'stop that one or choose another with server.healthPort',
    );
  });

  it('frees its port on close although a client keeps its connection', async () => {
    const { server, ask } = await start(routes);
    await ask('/tree');
    await server.close();
    await expect(start(routes, server.port)).resolves.toBeDefined();
  });
});

describe('A probe', () => {
  let wrong: string | undefined;
  const probes = probeRoutes(
    [
      { name: 'event-loop', run: () => undefined },
      { name: 'lease', run: () => wrong },
    ],
    [{ name: 'synced', run: () => 'Pod is not listed yet' }],
  );
  afterEach(() => {
    wrong = undefined;
  });

  it('says ok while all checks pass, and lists them when asked', async () => {
    const { ask } = await start(probes);
    expect(await ask('/livez')).toMatchObject({ status: 200, body: 'ok\n' });
    expect(await ask('/healthz')).toMatchObject({ status: 200, body: 'ok\n' });
    expect((await ask('/livez?verbose')).body).toBe(
      '[+]event-loop ok\n[+]lease ok\nlivez check passed\n',
    );
  });

  it('fails with the reason of the check that failed', async () => {
    const { ask } = await start(probes);
    wrong = 'was not renewed for 20 s';
    expect(await ask('/livez')).toMatchObject({
      status: 500,
      body: '[+]event-loop ok\n[-]lease was not renewed for 20 s\nlivez check failed\n',
    });
    expect((await ask('/readyz')).status).toBe(500);
  });

  it('can leave out a check or run one alone', async () => {
    const { ask } = await start(probes);
    wrong = 'x';
    expect((await ask('/livez?exclude=lease')).status).toBe(200);
    expect((await ask('/livez/event-loop')).status).toBe(200);
    expect((await ask('/livez/lease')).status).toBe(500);
    expect(await ask('/livez/other')).toMatchObject({
      status: 404,
      body: 'no check "other"; the checks are event-loop, lease\n',
    });
  });
});
