// Streams: what a viewer is sent, in which order and how often.
import { describe, expect, it, vi } from 'vitest';
import { batchMs, factsPerBatch, rowsPerBatch } from '#src/inspector/server/limits.ts';
import { patient } from '#test/support/eventually.ts';
import { clique } from '../served.ts';
import { inspectorStage } from './stage.ts';

const { start, open } = inspectorStage();

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
    const none = await open(served);
    const all = await open(served, '?facts=all');
    const one = await open(served, '?facts=podclique/default/b');
    actors.fact(clique('a'), { data: { message: 'password: hunter2' } });
    actors.fact(clique('b'));
    actors.set(clique('b'));
    await clock.advance(batchMs);
    expect(await none.events.next()).toMatchObject({ type: 'delta', sequence: 2 });
    await all.events.next();
    expect(await all.events.next()).toMatchObject({
      type: 'facts',
      sequence: 2,
      skipped: 0,
      facts: [
        { sequence: 1, about: 'podclique/default/a', data: { message: 'password: [redacted]' } },
        { sequence: 2, about: 'podclique/default/b' },
      ],
    });
    await one.events.next();
    expect((await one.events.next()).facts).toMatchObject([{ sequence: 2 }]);
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

  it('goes on with who was born of whom no fact tells', async () => {
    const served = await start();
    const { actors, get } = served;
    for (const name of ['a', 'b']) {
      actors.set(clique(name));
      actors.fact(clique(name));
    }
    const { sequence } = (await get('/api/v1/actors')).body;
    const { process } = (await get('/api/v1/session')).body;
    actors.set(clique('c'));
    const { events } = await open(served, `?after=${sequence}&process=${process}`);
    expect(names(await events.next())).toEqual(['c']);
    const changes = await get(`/api/v1/changes?after=${sequence}&process=${process}`);
    expect(names(changes.body)).toEqual(['c']);
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
    await vi.waitFor(() => expect(actors.followers).toBe(0), patient);
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
