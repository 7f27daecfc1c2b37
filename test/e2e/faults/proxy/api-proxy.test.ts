// The proxy for API servers against a small HTTPS server: each fault does what it says, to those
// requests that the rule names and to no other.
import { describe, expect, test } from 'vitest';
import { eventually } from '#test/support/eventually.ts';
import { Bench, pods } from './bench.ts';

/** What a client hears of a connection that breaks. */
const broken = /other side closed|ECONNRESET|socket hang up|terminated/;

const bench = new Bench();
const { create, get, inflict, request, watching } = bench;

describe('The proxy', () => {
  test('passes requests on under its own credentials, and answers as they are', async () => {
    const made = await create('plain');
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ metadata: { name: 'plain' }, text: bench.server.text });
    expect(bench.server.seen.at(-1)).toEqual(`POST ${pods} Bearer upstream`);
    expect(bench.proxy.traffic.all.at(-1)).toMatchObject({
      verb: 'create',
      kind: 'Pod',
      namespace: 'here',
      name: 'plain',
      status: 201,
      forwarded: true,
      fault: undefined,
    });
  });

  test('shows one namespace of a collection, and of nothing else', async () => {
    await request('/apis/grove.io/v1alpha1/podcliques?limit=5');
    const one = '/apis/grove.io/v1alpha1/namespaces/here/podcliques?limit=5';
    expect(bench.server.seen.at(-1)).toBe(`GET ${one} Bearer upstream`);
    for (const other of ['', '/clustertopologybindings?limit=5']) {
      const path = `/apis/grove.io/v1alpha1${other}`;
      await request(path);
      expect(bench.server.seen.at(-1)).toBe(`GET ${path} Bearer upstream`);
    }
  });

  test('carries out what it swallows', async () => {
    inflict({ type: 'swallow' }, { verb: 'create', kind: 'Pod', name: 'lost' });
    const writes = bench.proxy.traffic.writes.length;
    await expect(create('lost')).rejects.toThrow(broken);
    expect(bench.server.seen.at(-1)).toBe(`POST ${pods} Bearer upstream`);
    expect(bench.proxy.traffic.writes).toHaveLength(writes + 1);
    expect(bench.proxy.traffic.writes.at(-1)?.fault).toBe('swallow');
    expect((await create('other')).status).toBe(201);
  });

  test('carries out nothing that it resets or answers itself', async () => {
    const seen = bench.server.seen.length;
    inflict({ type: 'reset' }, { name: 'a' });
    inflict({ type: 'answer', status: 429, retryAfterSeconds: 3 }, { name: 'b' });
    await expect(create('a')).rejects.toThrow(broken);
    const refused = await create('b');
    expect(refused).toMatchObject({
      status: 429,
      headers: { 'retry-after': '3' },
      body: { reason: 'TooManyRequests', details: { retryAfterSeconds: 3 }, code: 429 },
    });
    for (const [status, reason] of [
      [409, 'Conflict'],
      [410, 'Expired'],
      [500, 'InternalError'],
    ] as const) {
      inflict({ type: 'answer', status }, { name: `c${status}` });
      expect(await create(`c${status}`)).toMatchObject({ status, body: { reason } });
    }
    expect(bench.server.seen).toHaveLength(seen);
  });

  test('breaks off in the middle of an answer', async () => {
    inflict({ type: 'truncate' }, { verb: 'get', name: 'half' });
    await expect(get('half')).rejects.toThrow(broken);
    expect((await get('whole')).status).toBe(200);
  });

  test('cuts inside characters without changing a byte', async () => {
    inflict({ type: 'split' });
    expect((await get('split')).body).toEqual({
      metadata: { name: 'split' },
      text: bench.server.text,
    });
    const { names, close } = await watching();
    bench.server.emit('MODIFIED', 'größer-日本');
    await eventually(
      'an event',
      () => names,
      () => names.length === 1,
    );
    expect(names).toEqual(['größer-日本']);
    close();
  });

  test('delays the request or the answer', async () => {
    for (const type of ['delay', 'delayReply'] as const) {
      const lift = inflict({ type, ms: 150 }, { name: type });
      const begun = performance.now();
      await get(type);
      expect(performance.now() - begun).toBeGreaterThan(140);
      lift();
    }
  });

  test('strikes the nth, the first few, or a share that the seed draws', async () => {
    const strike = async (rule: object): Promise<readonly number[]> => {
      const lift = inflict({ type: 'answer', status: 500 }, { verb: 'get', ...rule });
      const all: number[] = [];
      for (let nth = 1; nth <= 20; nth++) if ((await get('n')).status === 500) all.push(nth);
      lift();
      return all;
    };
    expect(await strike({ nth: 3 })).toEqual([3]);
    expect(await strike({ nth: 3, times: 2 })).toEqual([3, 4]);
    expect(await strike({ times: 2 })).toEqual([1, 2]);
    expect(await strike({ name: /^m/ })).toEqual([]);
    const share = await strike({ rate: 0.5 });
    expect(share.length).toBeGreaterThan(3);
    expect(share.length).toBeLessThan(17);
  });

  test('lets nobody through without the token that it accepts', async () => {
    bench.proxy.accept('another');
    expect((await get('x')).status).toBe(401);
    bench.proxy.accept('ours');
    expect((await get('x')).status).toBe(200);
    bench.proxy.accept(undefined);
  });

  test('is away and back on the same port', async () => {
    const { ended } = await watching();
    await bench.proxy.away();
    expect(await ended).toMatchObject({ kind: 'ended' });
    await expect(get('x')).rejects.toThrow(/ECONNREFUSED|connect/);
    await bench.proxy.back();
    expect((await get('x')).status).toBe(200);
  });

  test('resets all connections again and again', async () => {
    const stop = bench.proxy.cutEvery(300);
    for (let times = 0; times < 3; times++) {
      const { ended } = await watching();
      expect(await ended).toMatchObject({ kind: 'ended' });
    }
    stop();
  });

  test('counts what is under way at once, without watches', async () => {
    const { close } = await watching();
    bench.proxy.traffic.takePeak();
    inflict({ type: 'delay', ms: 60 });
    await Promise.all(['a', 'b', 'c'].map(get));
    expect(bench.proxy.traffic.takePeak()).toBe(3);
    expect(bench.proxy.traffic.takePeak()).toBe(0);
    close();
  });
});
