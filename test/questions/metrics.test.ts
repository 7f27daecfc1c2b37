// Metrics over TLS: the server of the questions serves them to whoever may scrape them, as the API
// server says.
import { Agent, request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { testAuthority } from '#test/admission/served.ts';
import { replica, type Reviews, reviews } from './served.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A server behind these reviews, and how to scrape it. */
async function start(seen: Reviews) {
  const authority = await testAuthority('questions');
  const one = await replica({ name: 'one', authority, transport: seen.transport });
  const dispatcher = new Agent({ connect: { ca: authority.cert } });
  ends.push(
    () => one.server.close(),
    () => dispatcher.destroy(),
  );
  return async (token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const reply = await request(`${one.origin}/metrics`, { dispatcher, headers });
    return { status: reply.statusCode, headers: reply.headers, body: await reply.body.text() };
  };
}

/** Bob may read objects, and only Prometheus may scrape. */
const scraper = () =>
  reviews((user, verb, _, what) => verb === 'get' && (what === '/metrics') === (user === 'prom'));

describe('Metrics over TLS', () => {
  it('are for whoever may get their path', async () => {
    const seen = scraper();
    const scrape = await start(seen);
    const { status, headers, body } = await scrape('token-of-prom');
    expect([status, headers['content-type'], body]).toEqual([
      200,
      'text/plain',
      'metrics_of{name="one"} 1\n',
    ]);
    expect(seen.accesses).toEqual(['prom get /metrics']);
  });

  it.each([
    ['without a token', undefined, 401, 'a bearer token is needed'],
    ['with a token that is not valid', 'nonsense', 401, 'the token is not valid'],
    [
      'to whoever may only see objects',
      'token-of-bob',
      403,
      'bob may not get the path /metrics: no role',
    ],
  ])('are refused %s', async (_, token, expected, message) => {
    const scrape = await start(scraper());
    const { status, headers, body } = await scrape(token);
    expect([status, JSON.parse(body)]).toMatchObject([expected, { ok: false, message }]);
    expect(headers['www-authenticate']).toBe(expected === 401 ? 'Bearer' : undefined);
  });
});
