// Streams: what a viewer is sent, in which order and how often, and that nobody who does not read,
// may not see, or comes a thousand times takes more than a share.
import { connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  batchMs,
  factsPerBatch,
  rowsPerBatch,
  stalledMs,
  streamsAtOnce,
  streamsPerUser,
} from '#src/inspector/server/limits.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { clique, openStream, serveInspector, type ServedInspector } from '../served.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function start(options: Parameters<typeof serveInspector>[0] = {}): Promise<ServedInspector> {
  const served = await serveInspector(options);
  ends.push(() => served.inspector.close());
  return served;
}

async function open(
  served: ServedInspector,
  query = '',
  more: Parameters<typeof openStream>[2] = {},
) {
  const stream = await openStream(served, query, more);
  ends.push(stream.end);
  return stream;
}

const names = (event: { rows: { name: string[] } }) => event.rows.name;

describe('A stream', () => {
  it('tells what changed in batches, actors that are gone too', async () => {
    const served = await start();
    const { actors, clock } = served;
    actors.set(clique('a'));
    const { events } = await open(served);
    actors.set(clique('a'), { state: { running: 'busy' } });
    actors.set(clique('b'), { parent: 'podcliqueset/default/s' });
    actors.set(clique('b'), { mailbox: 2 });
    await clock.advance(batchMs);
    const first = await events.next();
    expect(first).toMatchObject({
      type: 'delta',
      gone: [],
      rows: {
        name: ['a', 'b'],
        mailbox: [0, 2],
        parentAt: [-1, 0],
        tables: { parent: ['podcliqueset/default/s'], state: ['{"running":"busy"}', '"running"'] },
      },
    });
    actors.remove(clique('a'));
    await clock.advance(batchMs);
    expect(await events.next()).toMatchObject({
      gone: ['podclique/default/a'],
      rows: { name: [] },
    });
  });

  it('tells facts to who wants them, with their secrets masked', async () => {
    const served = await start();
    const { actors, clock } = served;
    const [none, all, one] = await Promise.all(
      ['', '?facts=all', '?facts=podclique/default/b'].map((query) => open(served, query)),
    );
    actors.fact(clique('a'), { data: { message: 'password: hunter2' } });
    actors.fact(clique('b'));
    actors.set(clique('b'));
    await clock.advance(batchMs);
    expect(await none?.events.next()).toMatchObject({ type: 'delta', sequence: 2 });
    await all?.events.next();
    expect(await all?.events.next()).toMatchObject({
      type: 'facts',
      sequence: 2,
      skipped: 0,
      facts: [
        { sequence: 1, about: 'podclique/default/a', data: { message: 'password: [redacted]' } },
        { sequence: 2, about: 'podclique/default/b' },
      ],
    });
    await one?.events.next();
    expect((await one?.events.next()).facts).toMatchObject([{ sequence: 2 }]);
    const wrong = await open(served, '?facts=some');
    expect(wrong.status).toBe(400);
  });

  it('tells so many facts of a batch, and how many more there were', async () => {
    const served = await start();
    const { events } = await open(served, '?facts=all');
    for (let index = 0; index < factsPerBatch + 5; index++) served.actors.fact(clique('a'));
    await served.clock.advance(batchMs);
    const { facts, skipped } = await events.next();
    expect([facts.length, skipped]).toEqual([factsPerBatch, 5]);
  });

  it('has more rows listed anew than a batch holds', async () => {
    const served = await start();
    const { events } = await open(served);
    for (let index = 0; index <= rowsPerBatch; index++) served.actors.set(clique(`c${index}`));
    await served.clock.advance(batchMs);
    expect(await events.next()).toMatchObject({ type: 'resync' });
  });

  it('goes on behind a list or an earlier stream, and says where it cannot', async () => {
    const served = await start();
    const { actors, clock, get } = served;
    actors.set(clique('a'));
    actors.fact(clique('a'));
    const { sequence } = (await get('/api/v1/actors')).body;
    const { process } = (await get('/api/v1/session')).body;
    actors.set(clique('b'));
    actors.fact(clique('b'));
    actors.remove(clique('a'));
    const { events } = await open(served, `?after=${sequence}&process=${process}&facts=all`);
    const delta = await events.next();
    expect([names(delta), delta.gone]).toEqual([['b'], ['podclique/default/a']]);
    expect((await events.next()).facts).toMatchObject([{ what: 'decided' }, { what: 'ended' }]);
    for (const query of ['?after=99', `?after=${sequence}&process=other`]) {
      expect(await (await open(served, query)).events.next()).toMatchObject({ type: 'resync' });
    }
    for (let index = 0; index < 1_500; index++) actors.fact(clique('a'));
    const late = await open(served, `?after=${sequence}&process=${process}`);
    expect(await late.events.next()).toMatchObject({ type: 'resync' });
    await clock.advance(batchMs);
  });

  it('gives a sign of life, says who owns what, and costs nothing when it is over', async () => {
    const served = await start();
    const { actors, clock } = served;
    const stream = await open(served);
    expect(await stream.events.next([])).toMatchObject({
      type: 'shards',
      shards: [
        { shard: 0, isHere: true },
        { shard: 1, isHere: true },
      ],
    });
    await clock.advance(15_000);
    expect(await stream.events.next([])).toMatchObject({ type: 'ping', now: clock.now() });
    expect(actors.followers).toBe(1);
    stream.end();
    await vi.waitFor(() => expect(actors.followers).toBe(0));
    expect(clock.pending).toBe(0);
  });

  it('shows what the viewer may list, also in namespaces that come later', async () => {
    const served = await start({ may: (_, verb, space) => verb === 'list' && space === 'red' });
    const { actors, clock } = served;
    const { events } = await open(served, '?facts=all');
    for (const space of ['blue', 'red']) {
      actors.set(clique('a', space));
      actors.fact(clique('a', space));
    }
    await clock.advance(batchMs);
    const delta = await events.next();
    expect([names(delta), delta.rows.tables.namespace]).toEqual([['a'], ['red']]);
    expect((await events.next()).facts).toMatchObject([{ about: 'podclique/red/a' }]);
    actors.remove(clique('a', 'blue'));
    actors.remove(clique('a', 'red'));
    await clock.advance(batchMs);
    expect((await events.next()).gone).toEqual(['podclique/red/a']);
  });
});

describe('A viewer who does not read', () => {
  it('is sent no more than a socket takes, is to list anew, and is cut off in the end', async () => {
    const served = await start();
    const { actors, clock, inspector } = served;
    const socket = connect(Number(new URL(inspector.url).port), '127.0.0.1');
    ends.push(() => socket.destroy());
    const head = 'GET /api/v1/stream?facts=all HTTP/1.1\r\nHost: localhost\r\n';
    socket.write(`${head}Authorization: Bearer token-of-alice\r\n\r\n`);
    await vi.waitFor(() => expect(actors.followers).toBe(1));
    socket.pause();
    const before = process.memoryUsage().arrayBuffers;
    const text = 'x'.repeat(4_000);
    for (let batch = 0; batch < 60; batch++) {
      for (let index = 0; index < factsPerBatch; index++) {
        actors.fact(clique('a'), { data: { text } });
      }
      await clock.advance(batchMs);
    }
    // 48 MB have come, of which the kernel holds some.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24_000_000);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await clock.advance(stalledMs + 5_000);
    socket.resume();
    await closed;
    await vi.waitFor(() => expect(actors.followers).toBe(0));
  });

  it('is told to list anew when it reads again', async () => {
    const served = await start();
    const { actors, clock, inspector } = served;
    const socket = connect(Number(new URL(inspector.url).port), '127.0.0.1');
    ends.push(() => socket.destroy());
    const head = 'GET /api/v1/stream?facts=all HTTP/1.1\r\nHost: localhost\r\n';
    socket.write(`${head}Authorization: Bearer token-of-alice\r\n\r\n`);
    await vi.waitFor(() => expect(actors.followers).toBe(1));
    socket.pause();
    const text = 'x'.repeat(4_000);
    for (let batch = 0; batch < 30; batch++) {
      for (let index = 0; index < factsPerBatch; index++) {
        actors.fact(clique('a'), { data: { text } });
      }
      await clock.advance(batchMs);
    }
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received = `${received.slice(-2_000)}${chunk.toString()}`;
    });
    socket.resume();
    await vi.waitFor(() => expect(received).toContain('event: resync'));
    actors.set(clique('b'));
    await clock.advance(batchMs);
    await vi.waitFor(() => expect(received).toContain('event: delta'));
  });
});

describe('A thousand idle streams', () => {
  it('are refused but for a few, and leave others their answers', async () => {
    const served = await start();
    const users = ['alice', 'bob', 'carol'];
    const asked = Array.from({ length: 1_000 }, (_, index) =>
      open(served, '', { user: users[index % users.length] ?? '' }).then(
        ({ status }) => status,
        () => 0,
      ),
    );
    const statuses = await Promise.all(asked);
    const opened = statuses.filter((status) => status === 200).length;
    expect(opened).toBeLessThanOrEqual(streamsAtOnce);
    expect(opened).toBeGreaterThan(streamsPerUser);
    // 0: its connection went for another one.
    expect(statuses.filter((status) => ![0, 200, 429].includes(status))).toEqual([]);
    const begun = performance.now();
    expect(await served.get('/api/v1/session', { user: 'dave' })).toMatchObject({ status: 200 });
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  it('of one user leave others their own', async () => {
    const served = await start();
    for (let index = 0; index < streamsPerUser; index++) await open(served);
    expect((await open(served)).status).toBe(429);
    expect((await open(served, '', { user: 'bob' })).status).toBe(200);
  });
});

describe('A stream whose token ends', () => {
  /** Says of tokens what `state` says. */
  async function startWith(state: { answer: 'yes' | 'no' | 'silence'; may: boolean }) {
    const { seen } = await start({ may: () => state.may });
    const transport: KubeTransport = {
      ...seen.transport,
      request: (request) =>
        state.answer === 'yes'
          ? seen.transport.request(request)
          : Promise.resolve(
              state.answer === 'no'
                ? { status: 201, headers: {}, body: { status: { authenticated: false } } }
                : { status: 500, headers: {}, body: {} },
            ),
    };
    return start({ transport });
  }

  it('is refused within a minute', async () => {
    const state = { answer: 'yes' as 'yes' | 'no', may: true };
    const served = await startWith(state);
    const { events } = await open(served);
    await served.clock.advance(59_000);
    state.answer = 'no';
    await served.clock.advance(6_000);
    expect(await events.next()).toMatchObject({ type: 'refused', code: 'UNAUTHORIZED' });
    expect(await events.next()).toBeUndefined();
    await vi.waitFor(() => expect(served.actors.followers).toBe(0));
  });

  it('is refused where the user may list nothing any more', async () => {
    const state = { answer: 'yes' as const, may: true };
    const served = await startWith(state);
    const { events } = await open(served);
    served.actors.set(clique('a'));
    await served.clock.advance(batchMs);
    expect(await events.next()).toMatchObject({ type: 'delta' });
    state.may = false;
    await served.clock.advance(65_000);
    expect(await events.next()).toMatchObject({ type: 'refused', code: 'FORBIDDEN' });
  });

  it('goes on while the API server says nothing, for five minutes', async () => {
    const state = { answer: 'yes' as 'yes' | 'silence', may: true };
    const served = await startWith(state);
    const { events } = await open(served);
    state.answer = 'silence';
    await served.clock.advance(200_000);
    served.actors.set(clique('a'));
    state.answer = 'yes';
    await served.clock.advance(10_000);
    expect(await events.next()).toMatchObject({ type: 'delta' });
    state.answer = 'silence';
    await served.clock.advance(400_000);
    expect(await events.next()).toMatchObject({ type: 'refused', code: 'SERVER_ERROR' });
  });
});
