// Several processes: whichever is asked, lists, numbers and traces are of all of them, in the name
// of whoever asks; and a stream follows the others every few seconds.
import { describe, expect, it } from 'vitest';
import type { ShardLease } from '#actors/ports.ts';
import { handedOnHeader, type PeerCall, type PeerRequest } from '#src/questions/peer.ts';
import { clique, type serveInspector, type ServedInspector } from '../served.ts';
import { inspectorStage } from './stage.ts';

const { start, open } = inspectorStage();

type Options = NonNullable<Parameters<typeof serveInspector>[0]>;

interface Two {
  readonly a: ServedInspector;
  readonly b: ServedInspector;
  /** What b was asked, in order. */
  readonly calls: PeerCall[];
  /** Whether b answers. */
  readonly state: { isAway: boolean; isKnown: boolean };
}

/** a has shard 0, and b has shard 1. */
async function two(ofB: Options = {}, ofA: Options = {}): Promise<Two> {
  const state = { isAway: false, isKnown: true };
  const calls: PeerCall[] = [];
  const b = await start({ ...ofB, lease: lease(1) });
  const peer: PeerRequest = async (call) => {
    calls.push(call);
    if (state.isAway) throw new Error('connection refused');
    const headers = { authorization: `Bearer ${call.token}`, [handedOnHeader]: 'true' };
    const json = { 'content-type': 'application/json' };
    const response = await fetch(`${b.inspector.url}${call.path}`, {
      method: call.method,
      headers: call.body === undefined ? headers : { ...headers, ...json },
      body: call.body ?? null,
    });
    return { status: response.status, body: new Uint8Array(await response.arrayBuffer()) };
  };
  const a = await start({
    ...ofA,
    lease: lease(0, (shard) => (shard === 1 && state.isKnown ? 'https://b:2754' : undefined)),
    peer: () => peer,
  });
  return { a, b, calls, state };
}

const lease = (
  own: number,
  address: Required<ShardLease>['address'] = () => undefined,
): ShardLease => ({
  shards: 2,
  holds: (shard) => shard === own,
  epoch: () => 1,
  holder: (shard) => `process-${'ab'[shard] ?? ''}`,
  address,
  onChange: () => () => {},
});

describe('With several processes', () => {
  it('a list has the rows of all, in pages too', async () => {
    const { a, b, calls } = await two();
    for (const name of ['c1', 'c3']) a.actors.set(clique(name));
    for (const name of ['c2', 'c4', 'c5']) b.actors.set(clique(name, 'red'), { parked: true });
    const all = (await a.get('/api/v1/actors')).body;
    expect([all.total, all.rows.name.toSorted()]).toEqual([5, ['c1', 'c2', 'c3', 'c4', 'c5']]);
    expect(calls[0]).toMatchObject({ address: 'https://b:2754', token: 'token-of-alice' });
    const parked = (await a.get('/api/v1/actors?parked=true&limit=2')).body;
    expect([parked.total, parked.rows.name]).toEqual([3, ['c2', 'c4']]);
    const rest = (await a.get(`/api/v1/actors?parked=true&continue=${parked.continue}`)).body;
    expect([rest.total, rest.rows.name, rest.continue]).toEqual([3, ['c5'], undefined]);
  });

  it('each reviews whoever asks itself', async () => {
    const { a, b } = await two({ may: () => false });
    a.actors.set(clique('a'));
    b.actors.set(clique('b'));
    const { body } = await a.get('/api/v1/actors');
    expect(body.rows.name).toEqual(['a']);
    expect(b.seen.tokens).toEqual(['token-of-alice']);
  });

  it('the overview adds up, and traces are put together', async () => {
    const { a, b } = await two();
    a.actors.set(clique('a'));
    b.actors.set(clique('b'), { parked: true });
    b.actors.waiting = [
      { about: clique('b'), object: 'Pod/x/y', code: 'THROTTLED', since: 1, until: 5 },
    ];
    expect((await a.get('/api/v1/overview')).body).toMatchObject({
      actors: 2,
      parked: 1,
      backingOff: [{ object: 'Pod/x/y' }],
      answers: { 200: 8, 409: 2 },
      writesPerSecond: 4,
      shards: [
        { shard: 0, holder: 'process-a', isHere: true },
        { shard: 1, holder: 'process-b', isHere: false },
      ],
    });
    a.actors.fact(clique('a'), { id: 't', trace: 't', at: 1 });
    b.actors.fact(clique('b'), { id: 'u', trace: 't', cause: 't', at: 2 });
    const trace = (await a.get('/api/v1/traces/t')).body;
    expect(trace).toMatchObject({ isWhole: true, facts: [{ id: 't' }, { id: 'u' }] });
    expect((await a.get('/api/v1/facts')).body.facts).toMatchObject([{ id: 't' }, { id: 'u' }]);
  });

  it('one that does not answer, or whose address is not known, is named', async () => {
    const { a, b, state } = await two();
    a.actors.set(clique('a'));
    b.actors.set(clique('b'));
    a.actors.fact(clique('a'), { id: 't', trace: 't' });
    for (const change of [{ isAway: true }, { isAway: false, isKnown: false }]) {
      Object.assign(state, change);
      for (const path of ['actors', 'overview', 'facts', 'traces/t']) {
        const { status, body } = await a.get(`/api/v1/${path}`);
        expect([status, body.missing]).toEqual([200, ['process-b']]);
      }
      expect((await a.get('/api/v1/actors')).body.rows.name).toEqual(['a']);
      expect((await a.get('/api/v1/traces/t')).body.isWhole).toBe(false);
    }
  });

  it('none that was asked by another asks others', async () => {
    const { a, calls } = await two();
    for (const path of ['actors', 'overview', 'facts', 'traces/t', 'changes?since=0']) {
      await a.get(`/api/v1/${path}`, { headers: { [handedOnHeader]: 'true' } });
    }
    expect(calls).toEqual([]);
  });
});

describe('A stream of several processes', () => {
  it('brings rows of the others every five seconds, and what is gone there', async () => {
    const { a, b, calls } = await two();
    b.actors.set(clique('b'));
    b.actors.fact(clique('b'));
    const stream = await open(a);
    // What came between the list and the stream.
    expect(await stream.events.next()).toMatchObject({ type: 'delta', rows: { name: ['b'] } });
    b.actors.set(clique('c'));
    b.actors.fact(clique('c'));
    b.actors.remove(clique('b'));
    await a.clock.advance(5_000);
    const { rows, gone } = await stream.events.next();
    expect([rows.name, gone]).toEqual([['c'], ['podclique/default/b']]);
    await a.clock.advance(5_000);
    expect(calls.map(({ path }) => path)).toEqual([
      expect.stringMatching(/^\/api\/v1\/changes\?since=\d+$/),
      expect.stringMatching(/^\/api\/v1\/changes\?after=1&process=p\d+$/),
      expect.stringMatching(/^\/api\/v1\/changes\?after=3&process=p\d+$/),
    ]);
  });

  it('has all listed anew where one has forgotten what it told', async () => {
    const { a, b } = await two();
    const stream = await open(a);
    await a.clock.advance(5_000);
    for (let index = 0; index < 1_500; index++) b.actors.fact(clique('b'));
    await a.clock.advance(5_000);
    const { type, why } = await stream.events.next();
    expect([type, why]).toEqual(['resync', expect.stringContaining('process-b')]);
  });

  it('says who is missing, and who is back', async () => {
    const { a, state } = await two();
    const stream = await open(a);
    const shards = [
      { shard: 0, isHere: true },
      { shard: 1, isHere: false },
    ];
    const first = await stream.events.next([]);
    expect(first).toMatchObject({ type: 'shards', shards });
    expect(first.missing).toBeUndefined();
    state.isAway = true;
    await a.clock.advance(5_000);
    expect(await stream.events.next(['ping'])).toMatchObject({ missing: ['process-b'] });
  });
});

describe('A question for an actor of another process', () => {
  it('is handed on as it came, so that the owner asks for the same right', async () => {
    const { a, b, calls } = await two();
    // As actors/questions/asking.ts, which hands on what belongs elsewhere.
    const owner = { holder: 'process-b', address: 'https://b:2754' };
    a.actors.handsOnTo = owner;
    const path = '/api/v1/actors/podclique/red/one.v2';
    for (const rest of ['', '/why', '/history?limit=3&before=9']) {
      expect(await a.get(`${path}${rest}`)).toMatchObject({ status: 200 });
    }
    const body = '{"reason":"I look: at (it)"}';
    const headers = { 'content-type': 'application/json' };
    await a.get(`${path}/park`, { method: 'POST', body, headers });
    expect(calls.map(({ method, path: asked }) => `${method} ${asked.slice(path.length)}`)).toEqual(
      ['GET ', 'GET /why', 'GET /history?limit=3&before=9', 'POST /park'],
    );
    expect(b.actors.asks.map(({ question, handedOn }) => [question, handedOn])).toEqual([
      ['state', true],
      ['why', true],
      ['history', true],
      ['park', true],
    ]);
    expect(b.actors.asks.at(-1)?.payload).toMatchObject({ reason: 'alice: I look: at (it)' });
    expect(b.seen.accesses).toContain('alice park podcliques red/one.v2');
  });

  it('is refused by the owner where that one does not allow it', async () => {
    const { a, b } = await two({ may: (_, verb) => verb !== 'park' });
    a.actors.handsOnTo = { holder: 'process-b', address: 'https://b:2754' };
    const { status, body } = await a.get('/api/v1/actors/podclique/red/one/park', {
      method: 'POST',
      body: '{"reason":"r"}',
      headers: { 'content-type': 'application/json' },
    });
    expect([status, body.code]).toEqual([403, 'FORBIDDEN']);
    expect(body.message).toContain('process-b at https://b:2754: alice may not park');
    expect(b.actors.asks).toEqual([]);
  });
});
