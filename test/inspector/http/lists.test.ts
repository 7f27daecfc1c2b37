// What the routes answer: lists by column and page, numbers, facts and traces, one actor, the files
// of the page.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { clique } from '../served.ts';
import { inspectorStage } from './stage.ts';

const { ends, start } = inspectorStage();

const set = { kind: 'podcliqueset', namespace: 'red', name: 's' } as const;

describe('A list', () => {
  it('has all rows by column, each text once, and where a stream goes on', async () => {
    const { get, actors } = await start();
    actors.set(set, { state: 'active', since: 5 });
    for (const name of ['b', 'a']) {
      actors.set(clique(name, 'red'), { parent: 'podcliqueset/red/s', parked: name === 'a' });
    }
    actors.fact(set);
    const { body, headers } = await get('/api/v1/actors');
    expect(headers.get('cache-control')).toBe('no-store');
    expect(body).toEqual({
      sequence: 1,
      total: 3,
      rows: {
        tables: {
          kind: ['podcliqueset', 'podclique'],
          namespace: ['red'],
          state: ['"active"', '"running"'],
          parent: ['podcliqueset/red/s'],
        },
        kindAt: [0, 1, 1],
        namespaceAt: [0, 0, 0],
        name: ['s', 'b', 'a'],
        stateAt: [0, 1, 1],
        parentAt: [-1, 0, 0],
        since: [5, 0, 0],
        restarts: [0, 0, 0],
        parked: [0, 0, 1],
        mailbox: [0, 0, 0],
      },
    });
  });

  it.each([
    ['kind=podcliqueset', ['s']],
    ['namespace=blue', ['c']],
    ['state=active', ['s', 'c']],
    ['state=active.scheduling', ['c']],
    ['state=active.scheduling.sufficient', ['c']],
    ['state=scheduling', []],
    ['parked=true', ['a']],
    ['parked=false', ['s', 'c']],
    ['text=BLUE/', ['c']],
    ['kind=podclique&parked=true', ['a']],
  ])('by %s has what matches', async (query, names) => {
    const { get, actors } = await start();
    actors.set(set, { state: 'active' });
    actors.set(clique('a', 'red'), { parked: true, state: 'parked' });
    actors.set(clique('c', 'blue'), { state: { active: { scheduling: 'sufficient' } } });
    const { body } = await get(`/api/v1/actors?${query}`);
    expect([body.rows.name, body.total]).toEqual([names, names.length]);
  });

  it('in pages has every actor once, in the order of their ids', async () => {
    const { get, actors } = await start();
    const names = Array.from({ length: 25 }, (_, index) => `c${String((index * 7) % 25)}`);
    for (const name of names) actors.set(clique(name));
    const seen: string[] = [];
    let token = '';
    do {
      const { body } = await get(`/api/v1/actors?limit=10${token && `&continue=${token}`}`);
      expect(body.total).toBe(25);
      seen.push(...body.rows.name);
      token = body.continue ?? '';
    } while (token !== '');
    expect(seen).toEqual(names.toSorted());
  });

  it.each(['kind=pod', 'parked=1', 'limit=0', 'limit=1001', 'continue=%21', 'kind='])(
    'by %s is refused',
    async (query) => {
      const { get } = await start();
      expect(await get(`/api/v1/actors?${query}`)).toMatchObject({ status: 400 });
    },
  );

  it('of ten thousand is compressed, and leaves the event loop to others', async () => {
    const { get, actors } = await start();
    for (let index = 0; index < 10_000; index++) {
      actors.set(clique(`c${index}`), { state: { active: { scheduling: `${index % 10}` } } });
    }
    await get('/api/v1/actors');
    const { body, headers } = await get('/api/v1/actors');
    expect(body.rows.name).toHaveLength(10_000);
    expect(headers.get('content-encoding')).toBe('gzip');
    expect(Number(headers.get('content-length'))).toBeLessThan(100_000);
  });
});

describe('The overview', () => {
  it('says what is wrong', async () => {
    const { get, actors } = await start();
    actors.set(clique('a'), { parked: true });
    actors.set(clique('b'), { state: 'waiting' });
    actors.waiting = [
      { about: clique('a'), object: 'Pod/default/p', code: 'FORBIDDEN', since: 1, until: null },
    ];
    expect((await get('/api/v1/overview')).body).toMatchObject({
      actors: 2,
      parked: 1,
      restarting: 1,
      backingOff: [{ object: 'Pod/default/p', code: 'FORBIDDEN', until: null }],
      answers: { 200: 4, 409: 1 },
      writesPerSecond: 2,
    });
  });

  it('stands beside who asks, and since when this process runs', async () => {
    const { get, clock } = await start();
    const { body } = await get('/api/v1/session');
    expect(body).toMatchObject({
      user: 'alice',
      commands: true,
      version: '1.2.3',
      startedAt: clock.now(),
      stream: 'jetstream',
    });
  });
});

describe('Facts', () => {
  it('are those of a span of time, the newest where there are too many', async () => {
    const { get, actors, clock } = await start();
    const times: number[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      await clock.advance(10);
      times.push(clock.now());
      actors.fact(clique(name), { data: { token: 'hunter2' } });
    }
    const ask = async (query: string) => {
      const { body } = await get(`/api/v1/facts?${query}`);
      return [
        body.facts.map(({ about }: { about: string }) => about.slice(-1)).join(''),
        body.older,
      ];
    };
    expect(await ask('')).toEqual(['abcd', 'restarted']);
    expect(await ask(`from=${times[1]}&to=${times[2]}`)).toEqual(['bc', 'restarted']);
    expect(await ask('limit=2')).toEqual(['cd', 'more']);
    expect(await ask('text=LIQUE/default/b')).toEqual(['b', 'restarted']);
    expect(await ask('text=hunter2')).toEqual(['', 'restarted']);
    expect(await ask('namespace=other')).toEqual(['', 'restarted']);
    for (let index = 0; index < 1_000; index++) actors.fact(clique('z'));
    expect(await ask('text=default/a')).toEqual(['', 'dropped']);
  });

  it('of a trace come in order, and say whether causes are missing', async () => {
    const { get, actors } = await start();
    actors.fact(clique('a'), { id: 't', trace: 't' });
    actors.fact(clique('b'), { id: 'u', trace: 't', cause: 't' });
    const { body } = await get('/api/v1/traces/t');
    expect(body).toMatchObject({ trace: 't', isWhole: true, facts: [{ id: 't' }, { id: 'u' }] });
    actors.fact(clique('b'), { id: 'w', trace: 't', cause: 'v' });
    expect((await get('/api/v1/traces/t')).body).toMatchObject({ isWhole: false });
    expect(await get('/api/v1/traces/x')).toMatchObject({ status: 404 });
  });
});

describe('One actor', () => {
  it('answers what it is asked', async () => {
    const { get, actors } = await start();
    actors.answer = ({ question }) => ({ ok: true, data: { question } });
    const path = '/api/v1/actors/podclique/red/one';
    expect((await get(path)).body).toEqual({ question: 'state' });
    expect((await get(`${path}/why`)).body).toMatchObject({ question: 'why' });
    await get(`${path}/history?before=7&limit=3`);
    expect(actors.asks.at(-1)).toMatchObject({
      question: 'history',
      payload: { before: 7, limit: 3 },
    });
  });

  it('that has no namespace is written with a dash', async () => {
    const { get, actors } = await start();
    await get('/api/v1/actors/topologybinding/-/racks');
    expect(actors.asks[0]?.about).toMatchObject({ namespace: '', name: 'racks' });
    for (const path of ['topologybinding/red/racks', 'podclique/-/one', 'pod/red/one']) {
      expect(await get(`/api/v1/actors/${path}`)).toMatchObject({ status: 400 });
    }
  });

  it('that is not there, or is elsewhere, is answered as the question is', async () => {
    const { get, actors } = await start();
    actors.answer = () => ({ ok: false, code: 'NOT_OWNER', message: 'it is elsewhere' });
    expect(await get('/api/v1/actors/podclique/red/one')).toMatchObject({
      status: 421,
      body: { code: 'NOT_OWNER', message: 'it is elsewhere' },
    });
  });
});

describe('The page', () => {
  /** As its build leaves it. */
  function built(): string {
    const folder = mkdtempSync(join(tmpdir(), 'coppice-page-'));
    ends.push(() => rmSync(folder, { recursive: true }));
    const files: Record<string, object> = {};
    for (const [name, type] of [
      ['index.html', 'text/html; charset=utf-8'],
      ['page-AbC.js', 'text/javascript; charset=utf-8'],
    ] as const) {
      const text = `this is ${name}`;
      writeFileSync(join(folder, name), text);
      writeFileSync(join(folder, `${name}.gz`), gzipSync(text));
      writeFileSync(join(folder, `${name}.br`), text);
      files[name] = { type, bytes: text.length, gzipBytes: 1, brotliBytes: 1 };
    }
    writeFileSync(join(folder, 'secret.txt'), 'hunter2');
    mkdirSync(join(folder, 'inner'));
    writeFileSync(
      join(folder, 'manifest.json'),
      JSON.stringify({ key: 'k', index: 'index.html', files }),
    );
    return folder;
  }
  const open = () => start({ settings: { pageFolder: built() } });

  it('is at every path below /ui/, and its files may be kept for ever', async () => {
    const { get } = await open();
    for (const path of ['/ui/', '/ui/actors', '/ui/actors/podclique/red/one.v2?tab=why']) {
      const { body, headers } = await get(path, {
        user: '',
        headers: { 'accept-encoding': 'gzip' },
      });
      expect([body, headers.get('cache-control')]).toEqual(['this is index.html', 'no-store']);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
    }
    const script = await get('/ui/assets/page-AbC.js', { headers: { 'accept-encoding': 'gzip' } });
    expect(script.body).toBe('this is page-AbC.js');
    expect(script.headers.get('content-encoding')).toBe('gzip');
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    for (const path of ['/', '/ui']) {
      const { status, headers } = await get(path);
      expect([status, headers.get('location')]).toEqual([308, '/ui/']);
    }
  });

  it.each([
    'secret.txt',
    'manifest.json',
    'index.html',
    'page-AbC.js.gz',
    '..%2fsecret.txt',
    '..%2f..%2f..%2fetc%2fpasswd',
    '%2e%2e/secret.txt',
    '/etc/passwd',
    'inner',
    '__proto__',
    'page-AbC.js%00',
  ])('has no asset %s', async (name) => {
    const { get } = await open();
    const { status, body } = await get(`/ui/assets/${name}`);
    expect(JSON.stringify(body)).not.toMatch(/hunter2|root:/);
    // Some paths lead back to the page itself before they are sent.
    expect(status === 404 || body === 'this is index.html').toBe(true);
  });

  it('that is not built is asked for with what to do', async () => {
    const { get } = await start({ settings: { pageFolder: '/nowhere' } });
    const { status, body } = await get('/ui/');
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    expect(body.message).toContain('npm run build');
  });

  it('takes no other method than its own', async () => {
    const { get } = await open();
    expect(await get('/ui/', { method: 'POST' })).toMatchObject({ status: 405 });
    expect(await get('/ui/', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  });

  it('has its charts', async () => {
    const { get } = await start();
    const { body } = await get('/api/v1/charts');
    expect(Object.keys(body.machines)).toContain('podcliqueset');
  });
});
