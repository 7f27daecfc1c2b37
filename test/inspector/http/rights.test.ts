// What users see and may do whom the API server allows nothing, one namespace, or to read alone.
import { describe, expect, it } from 'vitest';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { command, commands, one, reads } from '../routes.ts';
import { clique } from '../served.ts';
import { inspectorStage } from './stage.ts';

const { startFilled: start } = inspectorStage();

describe('A user without rights', () => {
  it.each([
    one,
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
      { about: clique('one', 'red'), object: 'Pod/red/x', code: 'FORBIDDEN', since: 1, until: 1 },
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

  it('sees in a list what came while it was asked what they may list', async () => {
    const meanwhile = { kind: 'podgang', namespace: 'red', name: 'late' } as const;
    const { get, actors } = await start({
      may: (user, verb, namespace) => {
        if (actors.row('podgang/red/late') === undefined) {
          actors.set(meanwhile);
          actors.fact(meanwhile);
        }
        return may(user, verb, namespace);
      },
    });
    const { body } = await get('/api/v1/actors');
    expect(body).toMatchObject({ total: 2, rows: { name: ['one', 'late'] } });
    expect(body.sequence).toBe(actors.history.newest);
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

  it('is asked about an object that they may look at once a minute, about others each time', async () => {
    const state = { allowed: true };
    const { get, seen, clock } = await start({ may: () => state.allowed });
    for (const path of [one, `${one}/why`, one]) expect((await get(path)).status).toBe(200);
    expect(seen.accesses).toEqual(['alice get podcliques red/one']);
    state.allowed = false;
    await clock.advance(60_000);
    for (const path of [one, one]) expect((await get(path)).status).toBe(403);
    expect(seen.accesses).toHaveLength(3);
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
