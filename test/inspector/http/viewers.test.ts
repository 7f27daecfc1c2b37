// Nobody who does not read a stream, may not see it, or comes a thousand times takes more than a
// share.
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import {
  crowdedBatchMs,
  factsPerBatch,
  stalledMs,
  streamsAtOnce,
  streamsPerUser,
} from '#src/inspector/server/limits.ts';
import { patient } from '#test/support/eventually.ts';
import { clique } from '../served.ts';
import { inspectorStage } from './stage.ts';

const { ends, start, open } = inspectorStage();

describe('A viewer who does not read', () => {
  it('is sent no more than a socket takes, is to list anew, and is cut off in the end', async () => {
    const served = await start();
    const { actors, clock, inspector } = served;
    const socket = connect(Number(new URL(inspector.url).port), '127.0.0.1');
    ends.push(() => socket.destroy());
    const head = 'GET /api/v1/stream?facts=all HTTP/1.1\r\nHost: localhost\r\n';
    socket.write(`${head}Authorization: Bearer token-of-alice\r\n\r\n`);
    await vi.waitFor(() => expect(actors.followers).toBe(1), patient);
    socket.pause();
    const before = process.memoryUsage().arrayBuffers;
    const text = 'x'.repeat(4_000);
    for (let batch = 0; batch < 60; batch++) {
      for (let index = 0; index < factsPerBatch; index++) {
        actors.fact(clique('a'), { data: { text } });
      }
      await clock.advance(crowdedBatchMs);
    }
    // 48 MB have come, of which the kernel holds some.
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(24_000_000);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    await clock.advance(stalledMs + 5_000);
    socket.resume();
    await closed;
    await vi.waitFor(() => expect(actors.followers).toBe(0), patient);
  });

  it('is told to list anew when it reads again', async () => {
    const served = await start();
    const { actors, clock, inspector } = served;
    const socket = connect(Number(new URL(inspector.url).port), '127.0.0.1');
    ends.push(() => socket.destroy());
    const head = 'GET /api/v1/stream?facts=all HTTP/1.1\r\nHost: localhost\r\n';
    socket.write(`${head}Authorization: Bearer token-of-alice\r\n\r\n`);
    await vi.waitFor(() => expect(actors.followers).toBe(1), patient);
    socket.pause();
    const text = 'x'.repeat(4_000);
    for (let batch = 0; batch < 30; batch++) {
      for (let index = 0; index < factsPerBatch; index++) {
        actors.fact(clique('a'), { data: { text } });
      }
      await clock.advance(crowdedBatchMs);
    }
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received = `${received.slice(-2_000)}${chunk.toString()}`;
    });
    socket.resume();
    await vi.waitFor(() => expect(received).toContain('event: resync'), patient);
    actors.set(clique('b'));
    await clock.advance(crowdedBatchMs);
    await vi.waitFor(() => expect(received).toContain('event: delta'), patient);
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
    expect(await served.get('/api/v1/session', { user: 'dave' })).toMatchObject({ status: 200 });
  });

  it('of one user leave others their own', async () => {
    const served = await start();
    for (let index = 0; index < streamsPerUser; index++) await open(served);
    expect((await open(served)).status).toBe(429);
    expect((await open(served, '', { user: 'bob' })).status).toBe(200);
  });
});

describe('A stream that breaks', () => {
  it('ends, is logged, and leaves the others as they are', async () => {
    const served = await start();
    const { actors, clock, logged } = served;
    const all = await open(served, '?facts=all');
    const rows = await open(served);
    actors.fact(clique('a'));
    // It cannot be read any more, which is a bug of who holds it.
    const [fact] = actors.history.after(0, 1);
    const loop = { enumerable: true, get: () => assertNever() };
    Object.defineProperty(fact?.data, 'loop', loop);
    actors.set(clique('a'));
    await clock.advance(crowdedBatchMs);
    expect(await rows.events.next()).toMatchObject({ type: 'delta' });
    await expect(all.events.next()).rejects.toThrow('terminated');
    expect(logged.join()).toContain('a stream of the inspector broke');
  });
});

function assertNever(): never {
  throw new Error('nobody reads this');
}
