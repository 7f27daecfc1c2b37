// Questions over real sockets: who is answered, by whom, and to whom a token is sent.
import { createServer } from 'node:https';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Answer, Ask } from '#actors/ports.ts';
import type { KubeTransport } from '#src/kube/transport/transport.ts';
import { handingOn } from '#src/questions/handing-on.ts';
import { handedOnAtOnce, questionsAtOnce } from '#src/questions/limits.ts';
import { handedOnHeader, peerRequest } from '#src/questions/peer.ts';
import type { Authority } from '#src/tls/authority.ts';
import { patient } from '#test/support/eventually.ts';
import { testAuthority } from '#test/admission/served.ts';
import { askOver, replica, type Replica, reviews, servername } from './served.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const why = '/why?kind=podclique&namespace=default&name=one';
const park = '/park?kind=podclique&namespace=default&name=one&reason=I+look+at+it';

/** The API server hears the question and says nothing. */
const silent: KubeTransport = {
  request: ({ signal }) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason as Error));
    }),
  watch: () => () => {},
};

const everything = () => true;
const alice = 'token-of-alice';

async function start(options: Partial<Parameters<typeof replica>[0]> = {}) {
  const authority = options.authority ?? (await testAuthority('questions'));
  const seen = reviews(everything);
  const one = await replica({ name: 'one', authority, transport: seen.transport, ...options });
  ends.push(() => one.server.close());
  const ask = (path: string, more: object = {}) =>
    askOver({ origin: one.origin, ca: authority.cert, path, token: alice, ...more });
  return { authority, seen, one, ask };
}

/** `a` believes that `b` owns everything. */
async function two(options: Partial<Parameters<typeof replica>[0]> = {}, timeoutMs = 5_000) {
  const authority = await testAuthority('questions');
  const seenByB = reviews(everything);
  const b = await replica({ name: 'b', authority, transport: seenByB.transport, ...options });
  ends.push(() => b.server.close());
  const { one: a, ask, seen } = await start({ name: 'a', authority, timeoutMs });
  a.owner = { holder: 'b', address: b.origin };
  return { authority, a, b, ask, seenByA: seen, seenByB };
}

describe('A question over HTTPS', () => {
  it('is answered to whoever may see the object', async () => {
    const { ask, seen, one } = await start();
    expect(await ask(why)).toMatchObject({
      status: 200,
      body: { v: 1, ok: true, data: { answeredBy: 'one' } },
    });
    expect(seen.accesses).toEqual(['alice get podcliques default/one']);
    expect(one.commands).toEqual([]);
  });

  it.each([
    ['no token', undefined, 'a bearer token is needed'],
    ['a token that is not valid', 'nonsense', 'the token is not valid'],
  ])('with %s is refused', async (_, token, message) => {
    const { ask, one } = await start();
    const { status, headers, body } = await ask(why, { token });
    expect([status, body]).toEqual([401, { v: 1, ok: false, code: 'UNAUTHORIZED', message }]);
    expect(headers['www-authenticate']).toBe('Bearer');
    expect(one.asks).toEqual([]);
  });

  it('is refused to whoever may not see the object, and a command to whoever may only see it', async () => {
    const reader = reviews((user, verb) => user === 'alice' && verb === 'get');
    const { ask, one } = await start({ transport: reader.transport });
    expect(await ask(why, { token: 'token-of-bob' })).toMatchObject({
      status: 403,
      body: {
        code: 'FORBIDDEN',
        message: 'bob may not get podcliques, which why of podclique/default/one needs: no role',
      },
    });
    expect(await ask(park, { method: 'POST' })).toMatchObject({ status: 403 });
    expect([one.asks, one.commands]).toEqual([[], []]);
    expect(await ask(why)).toMatchObject({ status: 200 });
  });

  it('that is a command is obeyed to whoever may patch the object, and noted with the user', async () => {
    const { ask, one } = await start();
    expect(await ask(park, { method: 'POST' })).toMatchObject({ status: 200 });
    expect(one.asks).toMatchObject([{ question: 'park', payload: { reason: 'I look at it' } }]);
    const about = 'podclique/default/one';
    expect(one.commands).toEqual([{ question: 'park', about, user: 'alice' }]);
  });

  it('is refused while the API server does not say who asks', async () => {
    const failing: KubeTransport = {
      request: () => Promise.resolve({ status: 403, headers: {}, body: { message: 'no role' } }),
      watch: () => () => {},
    };
    const { ask, one } = await start({ transport: failing });
    const message = 'the API server does not say who asks, or whether they may: no role (403)';
    expect(await ask(why)).toMatchObject({ status: 502, body: { code: 'SERVER_ERROR', message } });
    expect(one.asks).toEqual([]);
  });

  it('by another method is told which one it takes', async () => {
    const { ask, seen } = await start();
    const { status, headers } = await ask(why, { method: 'POST' });
    expect([status, headers['allow'], seen.tokens]).toEqual([405, 'GET', []]);
  });

  it('beyond the bound is told to come later', async () => {
    const waiting = vi.fn<KubeTransport['request']>(silent.request);
    const { ask } = await start({ transport: { ...silent, request: waiting } });
    const all = Array.from({ length: questionsAtOnce }, () => ask(why));
    await vi.waitFor(() => expect(waiting).toHaveBeenCalledTimes(questionsAtOnce), patient);
    const { status, headers, body } = await ask(why);
    expect([status, headers['retry-after']]).toEqual([429, '1']);
    expect(body).toMatchObject({ code: 'THROTTLED' });
    for (const each of await Promise.all(all)) expect(each.status).toBe(502);
  });

  it('is answered under a new certificate, once that is presented', async () => {
    const { one } = await start();
    const next = await testAuthority('next');
    one.server.present(await next.server([servername], ['127.0.0.1']));
    const asked = { origin: one.origin, path: why, token: alice, ca: next.cert };
    expect((await askOver(asked)).status).toBe(200);
  });
});

describe('A question for another process', () => {
  it('is handed on with the token of whoever asks, and the owner reviews it again', async () => {
    const { ask, b, seenByA, seenByB } = await two();
    expect(await ask(why)).toMatchObject({ status: 200, body: { data: { answeredBy: 'b' } } });
    expect([seenByA.tokens, seenByB.tokens]).toEqual([[alice], [alice]]);
    expect(seenByB.accesses).toEqual(['alice get podcliques default/one']);
    expect(b.asks).toMatchObject([{ question: 'why', handedOn: true }]);
  });

  it('is refused by the owner where that one does not allow it, whoever let it through', async () => {
    const { ask, b } = await two({ transport: reviews((_, verb) => verb === 'get').transport });
    expect(await ask(why)).toMatchObject({ status: 200 });
    const { status, body } = await ask(park, { method: 'POST' });
    expect([status, body]).toMatchObject([403, { code: 'FORBIDDEN' }]);
    const { message } = body as { message: string };
    expect(message).toContain(`b at ${b.origin}: alice may not patch podcliques`);
    expect([b.asks.length, b.commands]).toEqual([1, []]);
  });

  it('is handed on once, though each takes the other for the owner', async () => {
    const { ask, a, b } = await two();
    b.owner = { holder: 'a', address: a.origin };
    const message = `b at ${b.origin}: b is not the owner`;
    expect(await ask(why)).toMatchObject({ status: 421, body: { code: 'NOT_OWNER', message } });
    expect([a.asks.length, b.asks.length]).toEqual([1, 1]);
    const marked = { headers: { [handedOnHeader]: 'true' } };
    expect(await ask(why, marked)).toMatchObject({ status: 421, body: { code: 'NOT_OWNER' } });
    expect([a.asks.length, b.asks.length]).toEqual([2, 1]);
  });

  it('is given up when the owner does not answer in time', async () => {
    const { ask, b } = await two({ transport: silent }, 200);
    const message = `b at ${b.origin}: no answer within 200 ms`;
    expect(await ask(why)).toMatchObject({ status: 503, body: { code: 'UNREACHABLE', message } });
  });
});

describe('A token', () => {
  const refused = async (b: Replica, answer: Promise<unknown>, seen: { tokens: string[] }) => {
    expect(await answer).toMatchObject({ status: 503, body: { code: 'UNREACHABLE' } });
    expect([seen.tokens, b.asks]).toEqual([[], []]);
  };

  it('is sent to nobody whose certificate another authority has signed', async () => {
    const other = await testAuthority('other');
    const { ask, b, seenByB } = await two({ signedBy: other });
    await refused(b, ask(why), seenByB);
  });

  it('is sent to nobody whose certificate has another name', async () => {
    const { ask, b, seenByB } = await two({ names: ['other.default.svc'] });
    await refused(b, ask(why), seenByB);
  });

  it('is sent to nobody before the authority is known', async () => {
    const { b, seenByB } = await two();
    for (const authorities of ['', '\n', 'nonsense']) {
      const handOn = handingOn(peerRequest({ authorities: () => authorities, servername }))(alice);
      const answer = await handOn({ holder: 'b', address: b.origin }, ask, 5_000);
      expect(answer).toMatchObject({ ok: false, code: 'UNREACHABLE' });
    }
    expect(seenByB.tokens).toEqual([]);
  });
});

const about = { kind: 'podclique', namespace: 'default', name: 'one' } as const;
const ask: Ask = { about, question: 'why', payload: {} };

/** A process of ours that answers with the text, or never. */
async function peerSaying(authority: Authority, body: string | undefined): Promise<string> {
  const identity = await authority.server([servername], ['127.0.0.1']);
  const server = createServer({ ...identity }, (_, response) => {
    if (body !== undefined) response.end(body);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `https://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
}

describe('Handing on', () => {
  async function handing(body: string | undefined) {
    const authority = await testAuthority('questions');
    const address = await peerSaying(authority, body);
    const peer = peerRequest({ authorities: () => authority.cert, servername });
    const handOn = handingOn(peer)(alice);
    return (timeoutMs: number): Promise<Answer> => handOn({ holder: 'b', address }, ask, timeoutMs);
  }

  it.each([
    ['is no answer', 'Bad Gateway'],
    ['is too long', JSON.stringify({ v: 1, ok: true, data: { text: 'x'.repeat(300_000) } })],
  ])('takes nothing that %s', async (_, body) => {
    const send = await handing(body);
    expect(await send(5_000)).toMatchObject({ ok: false, code: 'UNREACHABLE' });
  });

  it('waits for so many at once and no more', async () => {
    const send = await handing(undefined);
    const all = Array.from({ length: handedOnAtOnce }, () => send(300));
    expect(await send(300)).toMatchObject({ ok: false, code: 'THROTTLED' });
    for (const each of await Promise.all(all)) expect(each).toMatchObject({ code: 'UNREACHABLE' });
    expect(await send(300)).toMatchObject({ code: 'UNREACHABLE' });
  });
});
