// Who may use the inspector: every route without a token, without rights, from a page of another
// origin, by a name that is not ours, and with more than it takes.
import { request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { maxBodyBytes, maxQueryLength, requestBurst } from '#src/inspector/server/limits.ts';
import { clique, openStream, serveInspector, type ServedInspector } from '../served.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start(options: Parameters<typeof serveInspector>[0] = {}): Promise<ServedInspector> {
  const served = await serveInspector(options);
  ends.push(() => served.inspector.close());
  for (const namespace of ['red', 'blue']) {
    served.actors.set(clique('one', namespace));
    served.actors.fact(clique('one', namespace), { trace: 'both' });
  }
  return served;
}

const one = '/api/v1/actors/podclique/red/one';
const reads = [
  '/api/v1/session',
  '/api/v1/overview',
  '/api/v1/actors',
  '/api/v1/actors?namespace=red',
  '/api/v1/stream',
  '/api/v1/changes?since=0',
  '/api/v1/facts',
  '/api/v1/charts',
  '/api/v1/traces/both',
  one,
  `${one}/why`,
  `${one}/history`,
];
const command = (user = 'alice') => ({
  user,
  method: 'POST',
  body: '{"reason":"I look at it"}',
  headers: { 'content-type': 'application/json' },
});
const commands = [`${one}/park`, `${one}/unpark`];

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
    expect(
      all
        .map(({ status }) => status)
        .toSorted()
        .at(-1),
    ).toBe(429);
    expect(await ask('bob')).toMatchObject({ status: 200 });
  });
});

describe('A user without rights', () => {
  it.each([
    `${one}`,
    `${one}/why`,
    `${one}/history`,
    '/api/v1/actors?namespace=red',
    '/api/v1/actors?namespace=blue',
  ])('is refused %s', async (path) => {
    const { get, actors } = await start({ may: (user) => user !== 'eve' });
    const { status, body } = await get(path, { user: 'eve' });
    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    expect(body.message).toContain('eve may');
    expect(actors.asks).toEqual([]);
  });

  it('sees nothing in lists, numbers, facts, traces and changes', async () => {
    const { get, actors } = await start({ may: () => false });
    actors.waiting = [
      { about: clique('one', 'red'), object: 'Pod/red/x', code: 'FORBIDDEN', until: 1 },
    ];
    const [list, overview, facts, trace, changes] = await Promise.all(
      ['actors', 'overview', 'facts', 'traces/both', 'changes?since=0'].map((path) =>
        get(`/api/v1/${path}`),
      ),
    );
    expect(list?.body).toMatchObject({ total: 0, rows: { name: [], tables: { namespace: [] } } });
    expect(overview?.body).toMatchObject({ actors: 0, parked: 0, backingOff: [] });
    expect(facts?.body).toMatchObject({ facts: [] });
    expect(trace).toMatchObject({ status: 404 });
    expect(changes?.body).toMatchObject({ rows: { name: [] }, gone: [] });
    const all = JSON.stringify([list, overview, facts, trace, changes].map((one) => one?.body));
    expect(all).not.toMatch(/red|blue/);
  });

  it('is refused commands where they may only read', async () => {
    const { get, actors, logged } = await start({ may: (_, verb) => verb !== 'park' });
    for (const path of commands) {
      const { status, body } = await get(path, command());
      expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
      expect(body.message).toContain('alice may not park podcliques');
    }
    expect([actors.asks, logged]).toEqual([[], []]);
    expect(await get(one)).toMatchObject({ status: 200 });
  });
});

describe('A user of one namespace', () => {
  const may = (_: string, verb: string, namespace: string) =>
    verb === 'list' && namespace === 'red';

  it('sees that in lists and numbers, facts, traces and changes, and no other', async () => {
    const { get } = await start({ may });
    const list = await get('/api/v1/actors');
    expect(list.body).toMatchObject({ total: 1, rows: { tables: { namespace: ['red'] } } });
    expect((await get('/api/v1/overview')).body).toMatchObject({ actors: 1 });
    const facts = await get('/api/v1/facts');
    expect(facts.body.facts).toMatchObject([{ about: 'podclique/red/one' }]);
    const trace = await get('/api/v1/traces/both');
    expect(trace.body).toMatchObject({ isWhole: false, facts: [{ about: 'podclique/red/one' }] });
    const changes = await get('/api/v1/changes?since=0');
    expect(changes.body.rows.tables.namespace).toEqual(['red']);
    for (const { body } of [list, facts, trace, changes]) {
      expect(JSON.stringify(body)).not.toContain('blue');
    }
  });

  it('is asked about once a minute, all namespaces first', async () => {
    const { get, seen, clock } = await start({ may });
    for (let index = 0; index < 3; index++) await get('/api/v1/actors');
    expect(seen.tokens).toHaveLength(1);
    const asked = ['/', 'red/', 'blue/'].map((where) => `alice list podcliques ${where}`);
    expect(seen.accesses).toEqual(asked);
    await clock.advance(60_000);
    await get('/api/v1/actors');
    expect(seen.tokens).toHaveLength(2);
    expect(seen.accesses).toEqual([...asked, ...asked]);
  });

  it('is refused a list of more places than are asked about, and told what to do', async () => {
    const { get, actors } = await start({ may });
    for (let index = 0; index < 1_001; index++) actors.set(clique('one', `n${index}`));
    expect(await get('/api/v1/actors')).toMatchObject({ status: 413, body: { code: 'TOO_LARGE' } });
    expect(await get('/api/v1/actors?namespace=red')).toMatchObject({ status: 200 });
  });
});

describe('A command', () => {
  it('is obeyed to whoever may park, with their reason and name, and noted', async () => {
    const { get, actors, seen, logged } = await start();
    expect(await get(`${one}/park`, command())).toMatchObject({ status: 200 });
    expect(actors.asks).toMatchObject([
      {
        about: { kind: 'podclique', namespace: 'red', name: 'one' },
        question: 'park',
        payload: { reason: 'alice: I look at it' },
      },
    ]);
    expect(seen.accesses).toEqual(['alice park podcliques red/one']);
    expect(logged.join()).toContain('"user":"alice"');
  });

  it('is judged by what the API server says now', async () => {
    const state = { allowed: true };
    const { get } = await start({ may: () => state.allowed });
    expect(await get(`${one}/park`, command())).toMatchObject({ status: 200 });
    state.allowed = false;
    expect(await get(`${one}/park`, command())).toMatchObject({ status: 403 });
  });
});

describe('While the API server says nothing', () => {
  const silent: KubeTransport = {
    request: () => Promise.resolve({ status: 500, headers: {}, body: { message: 'busy' } }),
    watch: () => () => {},
  };

  it.each([...reads, ...commands])('%s is for nobody', async (path) => {
    const { get, actors } = await start({ transport: silent });
    const more = commands.includes(path) ? command() : {};
    expect(await get(path, more)).toMatchObject({ status: 502, body: { code: 'SERVER_ERROR' } });
    expect(actors.asks).toEqual([]);
  });

  it('so many tokens are asked about and no more', async () => {
    const { get } = await start({ transport: silent });
    const asked = Array.from({ length: 51 }, (_, index) =>
      get('/api/v1/session', { user: `u${index}` }),
    );
    const statuses = (await Promise.all(asked)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
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
