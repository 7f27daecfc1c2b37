// Who is let in to the inspector: every route without a token, from a page of another origin, by a
// name that is not ours, and with more than it takes.
import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { maxBodyBytes, maxQueryLength, requestBurst } from '#src/inspector/server/limits.ts';
import { command, commands, one, reads } from '../routes.ts';
import { openStream } from '../served.ts';
import { inspectorStage } from './stage.ts';

const { startFilled: start } = inspectorStage();

describe('Every route', () => {
  it.each([...reads, ...commands])(
    '%s is for nobody without a token that is valid',
    async (path) => {
      const { get, actors } = await start();
      for (const user of ['', 'no one']) {
        const more = commands.includes(path) ? command(user) : { user };
        const { status, headers, body } = await get(path, more);
        expect([status, body.code]).toEqual([401, 'UNAUTHORIZED']);
        expect(headers.get('www-authenticate')).toBe('Bearer');
      }
      expect(actors.asks).toEqual([]);
    },
  );

  it.each([...reads, ...commands])('%s is for no page of another origin', async (path) => {
    const { get, seen } = await start();
    const more = commands.includes(path) ? command() : {};
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      const { status, body } = await get(path, { ...more, headers: { ...headers } });
      expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    }
    expect(seen.tokens).toEqual([]);
  });

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', '10.0.0.1'])(
    'is for nobody who comes by the name "%s"',
    async (host) => {
      const { inspector, seen } = await start();
      for (const path of ['/ui/', ...reads]) {
        expect(await statusBy(inspector.url, path, host)).toBe(403);
      }
      expect(seen.tokens).toEqual([]);
    },
  );

  it('is for whoever comes by a name of its own, or one that the configuration lists', async () => {
    const { inspector } = await start({ settings: { hosts: ['Inspector.example'] } });
    const { port } = new URL(inspector.url);
    for (const host of ['localhost', '127.0.0.1', '[::1]', 'inspector.example']) {
      expect(await statusBy(inspector.url, '/api/v1/session', host)).toBe(200);
      expect(await statusBy(inspector.url, '/api/v1/session', `${host}:${port}`)).toBe(200);
    }
  });

  it('has the headers of a page that takes nothing from elsewhere', async () => {
    const { get } = await start();
    for (const path of ['/ui/', '/', '/api/v1/session', '/nothing']) {
      const { headers } = await get(path);
      expect(headers.get('content-security-policy')).toMatch(
        /^default-src 'self';.* frame-ancestors 'none'$/,
      );
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });

  it('refuses what is too long, too much or not what it takes', async () => {
    const { get, actors } = await start();
    const park = (body: string, type = 'application/json') =>
      get(`${one}/park`, { ...command(), body, headers: { 'content-type': type } });
    const long = 'x'.repeat(maxQueryLength);
    expect(await get(`/api/v1/actors?text=${long}`)).toMatchObject({ status: 413 });
    expect(await get(`/api/v1/actors?text=${'x'.repeat(300)}`)).toMatchObject({ status: 413 });
    expect(await get('/api/v1/actors?txt=x')).toMatchObject({ status: 400 });
    expect(await get('/api/v1/actors?text=a&text=b')).toMatchObject({ status: 400 });
    expect(await get('/api/v1/facts?limit=100000')).toMatchObject({ status: 400 });
    expect(await get(`/api/v1/traces/${'x'.repeat(500)}`)).toMatchObject({ status: 413 });
    expect(await park('x'.repeat(maxBodyBytes + 1))).toMatchObject({ status: 413 });
    expect(await park('x'.repeat(3_000_000))).toMatchObject({ status: 413 });
    expect(await park(JSON.stringify({ reason: 'x'.repeat(501) }))).toMatchObject({ status: 400 });
    expect(await park('{"reason":"r"}', 'text/plain')).toMatchObject({ status: 400 });
    for (const body of [
      '',
      '{}',
      '[]',
      '{',
      '{"reason":""}',
      '{"reason":1}',
      '{"reason":"r","user":"x"}',
    ]) {
      expect(await park(body)).toMatchObject({ status: 400, body: { code: 'MALFORMED' } });
    }
    expect(actors.asks).toEqual([]);
  });

  it('by another method is told which it takes, and what is not there what is', async () => {
    const { get } = await start();
    const wrong = await get('/api/v1/actors', command());
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'GET']);
    const read = await get(`${one}/park`);
    expect([read.status, read.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await get('/api/v1/nothing')).toMatchObject({
      status: 404,
      body: { code: 'NOT_FOUND' },
    });
  });

  it('is answered to one user so often and no more', async () => {
    const { get } = await start();
    const ask = (user: string) => get('/api/v1/session', { user });
    const all = await Promise.all(Array.from({ length: requestBurst + 1 }, () => ask('alice')));
    expect(all.filter(({ status }) => status === 429)).toHaveLength(1);
    expect(await ask('bob')).toMatchObject({ status: 200 });
  });
});

describe('The link of `npm start`', () => {
  const bearer = (token: string) => ({ user: '', headers: { authorization: `Bearer ${token}` } });

  it('lets one browser in, once, and that may do everything', async () => {
    const { get, local, seen } = await start({ may: () => false });
    const trade = { method: 'POST', ...bearer(local.oneTimeToken) };
    expect(await get('/api/v1/session', bearer(local.oneTimeToken))).toMatchObject({ status: 401 });
    const { status, body } = await get('/api/v1/session', trade);
    expect(status).toBe(200);
    expect(await get('/api/v1/session', trade)).toMatchObject({ status: 401 });
    expect((await get('/api/v1/session', bearer(body.token))).body).toMatchObject({
      user: 'local',
    });
    expect((await get('/api/v1/actors', bearer(body.token))).body).toMatchObject({ total: 2 });
    const parked = await get(`${one}/park`, {
      ...command(),
      ...bearer(body.token),
      headers: { ...bearer(body.token).headers, 'content-type': 'application/json' },
    });
    expect(parked).toMatchObject({ status: 200 });
    expect([seen.tokens, seen.accesses]).toEqual([[], []]);
  });

  it('is not opened by another token, which is the cluster’s affair', async () => {
    const { get } = await start();
    const trade = (user: string) => get('/api/v1/session', { method: 'POST', user });
    expect(await trade('bob')).toMatchObject({ status: 200, body: { token: 'token-of-bob' } });
    expect(await trade('no one')).toMatchObject({ status: 401 });
  });

  it('ends when a session has begun: its stream too needs the token of that', async () => {
    const served = await start();
    const { local } = served;
    await served.get('/api/v1/session', { method: 'POST', ...bearer(local.oneTimeToken) });
    expect((await openStream(served, '', { token: local.oneTimeToken })).status).toBe(401);
  });
});

/** `fetch` would not send it. */
function statusBy(origin: string, path: string, host: string): Promise<number> {
  const { port } = new URL(origin);
  const headers = { host, authorization: 'Bearer token-of-alice' };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, headers }, (response) => {
      response.destroy();
      resolve(response.statusCode ?? 0);
    });
    asked.on('error', reject).end();
  });
}
