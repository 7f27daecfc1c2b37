// The proxy for API servers against a small HTTPS server: each fault does what it says, to those
// requests that the rule names and to no other.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { fixedCredentials, type KubeConnection } from '#src/kube/connection.ts';
import { type HttpTransport, httpTransport } from '#src/kube/http.ts';
import type { WatchEnd } from '#src/kube/transport.ts';
import { createAuthority } from '#src/tls/authority.ts';
import { eventually } from '#test/support/eventually.ts';
import { ApiProxy } from './api-proxy.ts';
import type { Fault } from './rules.ts';
import { SmallServer } from './small-server.ts';

const pods = '/api/v1/namespaces/here/pods';
/** What a client hears of a connection that breaks. */
const broken = /other side closed|ECONNRESET|socket hang up|terminated/;
const watchPods = '/api/v1/pods?watch=true';

let server: SmallServer;
let proxy: ApiProxy;
let transport: HttpTransport;
const lifts: (() => void)[] = [];

beforeAll(async () => {
  const authority = await createAuthority('small', Date.now());
  server = new SmallServer();
  const own = await authority.server(['localhost'], ['127.0.0.1']);
  const https = createServer(own, server.handle);
  await new Promise<void>((ready) => https.listen(0, '127.0.0.1', ready));
  const { port } = https.address() as AddressInfo;
  const connection = connectionTo(`https://127.0.0.1:${port}`, authority.cert, 'upstream');
  proxy = await ApiProxy.start(connection, { seed: 7, namespace: 'here' });
  transport = httpTransport(connectionTo(proxy.url, proxy.ca, 'ours'), { userAgent: 'test' });
  return async () => {
    https.closeAllConnections();
    await new Promise((closed) => https.close(closed));
  };
});
afterEach(() => lifts.splice(0).forEach((lift) => lift()));
afterAll(async () => {
  await transport.close();
  await proxy.end();
});

const connectionTo = (url: string, ca: string, token: string): KubeConnection => ({
  server: url,
  tls: { ca, insecure: false },
  namespace: 'default',
  credentials: fixedCredentials({ headers: { authorization: `Bearer ${token}` } }),
});

const create = (name: string) =>
  transport.request({ method: 'POST', path: pods, body: { metadata: { name } } });
const get = (name: string) => transport.request({ method: 'GET', path: `${pods}/${name}` });

function inflict(fault: Fault, rest: Omit<Parameters<ApiProxy['inflict']>[0], 'fault'> = {}) {
  const lift = proxy.inflict({ ...rest, fault });
  lifts.push(lift);
  return lift;
}

interface Watching {
  readonly names: string[];
  readonly ended: Promise<WatchEnd>;
  readonly close: () => void;
}

function watch(path = watchPods): Watching {
  const names: string[] = [];
  const { promise, resolve } = Promise.withResolvers<WatchEnd>();
  const close = transport.watch(path, {
    event: ({ type, object }) => {
      const { metadata } = object as { metadata?: { name: string } };
      names.push(type === 'ERROR' ? type : (metadata?.name ?? ''));
    },
    closed: resolve,
  });
  return { names, ended: promise, close };
}

async function watching(): Promise<Watching> {
  const before = server.opened;
  const one = watch();
  await eventually(
    'a watch open',
    () => server.opened,
    (now) => now > before,
  );
  return one;
}

describe('The proxy', () => {
  test('passes requests on under its own credentials, and answers as they are', async () => {
    const made = await create('plain');
    expect(made.status).toBe(201);
    expect(made.body).toEqual({ metadata: { name: 'plain' }, text: server.text });
    expect(server.seen.at(-1)).toEqual(`POST ${pods} Bearer upstream`);
    expect(proxy.traffic.all.at(-1)).toMatchObject({
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
    await transport.request({ method: 'GET', path: '/apis/grove.io/v1alpha1/podcliques?limit=5' });
    const one = '/apis/grove.io/v1alpha1/namespaces/here/podcliques?limit=5';
    expect(server.seen.at(-1)).toBe(`GET ${one} Bearer upstream`);
    for (const other of ['', '/clustertopologybindings?limit=5']) {
      const path = `/apis/grove.io/v1alpha1${other}`;
      await transport.request({ method: 'GET', path });
      expect(server.seen.at(-1)).toBe(`GET ${path} Bearer upstream`);
    }
  });

  test('carries out what it swallows', async () => {
    inflict({ type: 'swallow' }, { verb: 'create', kind: 'Pod', name: 'lost' });
    const writes = proxy.traffic.writes.length;
    await expect(create('lost')).rejects.toThrow(broken);
    expect(server.seen.at(-1)).toBe(`POST ${pods} Bearer upstream`);
    expect(proxy.traffic.writes).toHaveLength(writes + 1);
    expect(proxy.traffic.writes.at(-1)?.fault).toBe('swallow');
    expect((await create('other')).status).toBe(201);
  });

  test('carries out nothing that it resets or answers itself', async () => {
    const seen = server.seen.length;
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
    expect(server.seen).toHaveLength(seen);
  });

  test('breaks off in the middle of an answer', async () => {
    inflict({ type: 'truncate' }, { verb: 'get', name: 'half' });
    await expect(get('half')).rejects.toThrow(broken);
    expect((await get('whole')).status).toBe(200);
  });

  test('cuts inside characters without changing a byte', async () => {
    inflict({ type: 'split' });
    expect((await get('split')).body).toEqual({ metadata: { name: 'split' }, text: server.text });
    const { names, close } = await watching();
    server.emit('MODIFIED', 'größer-日本');
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
    proxy.accept('another');
    expect((await get('x')).status).toBe(401);
    proxy.accept('ours');
    expect((await get('x')).status).toBe(200);
    proxy.accept(undefined);
  });

  test('is away and back on the same port', async () => {
    const { ended } = await watching();
    await proxy.away();
    expect(await ended).toMatchObject({ kind: 'ended' });
    await expect(get('x')).rejects.toThrow(/ECONNREFUSED|connect/);
    await proxy.back();
    expect((await get('x')).status).toBe(200);
  });

  test('resets all connections again and again', async () => {
    const stop = proxy.cutEvery(300);
    for (let times = 0; times < 3; times++) {
      const { ended } = await watching();
      expect(await ended).toMatchObject({ kind: 'ended' });
    }
    stop();
  });

  test('counts what is under way at once, without watches', async () => {
    const { close } = await watching();
    proxy.traffic.takePeak();
    inflict({ type: 'delay', ms: 60 });
    await Promise.all(['a', 'b', 'c'].map(get));
    expect(proxy.traffic.takePeak()).toBe(3);
    expect(proxy.traffic.takePeak()).toBe(0);
    close();
  });
});

describe('A watch through the proxy', () => {
  test('that is half open says nothing more and does not end', async () => {
    const open = await watching();
    const lift = inflict({ type: 'halfOpen' }, { verb: 'watch', kind: 'Pod', alsoOpen: true });
    const { length } = proxy.traffic.all;
    const late = watch();
    await eventually(
      'a watch asked for',
      () => proxy.traffic.all.length,
      (count) => count > length,
    );
    server.emit('ADDED', 'unseen');
    lift();
    const after = await watching();
    server.emit('ADDED', 'seen');
    await eventually(
      'an event',
      () => after.names,
      (names) => names.length === 1,
    );
    expect([open.names, late.names]).toEqual([[], []]);
    for (const one of [open, late, after]) one.close();
    expect(await Promise.all([open.ended, late.ended])).toEqual([
      { kind: 'aborted' },
      { kind: 'aborted' },
    ]);
  });

  test('lags in order, its end too, until the rule is lifted', async () => {
    const { names, ended } = await watching();
    const lift = inflict({ type: 'lag', ms: 60_000 }, { verb: 'watch', alsoOpen: true });
    server.emit('ADDED', 'a');
    server.emit('ADDED', 'b');
    server.endWatches();
    await eventually(
      'sent',
      () => server.watches,
      (count) => count === 0,
    );
    expect(names).toEqual([]);
    lift();
    expect(await ended).toEqual({ kind: 'ended' });
    expect(names).toEqual(['a', 'b']);
  });

  test('that is coalesced shows the newest event of each object', async () => {
    inflict({ type: 'coalesce', ms: 100 }, { verb: 'watch' });
    const { names, close } = await watching();
    for (const name of ['a', 'b', 'a', 'c', 'b']) server.emit('MODIFIED', name);
    await eventually(
      'events',
      () => names,
      () => names.length === 3,
    );
    expect(names).toEqual(['a', 'c', 'b']);
    close();
  });

  test('that expired says so in an event, or is refused', async () => {
    inflict({ type: 'expiredEvent' }, { verb: 'watch', nth: 1 });
    inflict({ type: 'answer', status: 410 }, { verb: 'watch', nth: 2 });
    const first = watch();
    expect(await first.ended).toEqual({ kind: 'ended' });
    expect(first.names).toEqual(['ERROR']);
    expect(await watch().ended).toMatchObject({ kind: 'refused', response: { status: 410 } });
  });
});
